-- The effects of due-notice. No unique key on the message on purpose: a second effect would show.
CREATE SCHEMA IF NOT EXISTS circulation;

CREATE TABLE IF NOT EXISTS circulation.due_notice (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id  uuid   NOT NULL,
    copy_id     text   NOT NULL,
    loan_number bigint NOT NULL,
    due_on      date   NOT NULL
);

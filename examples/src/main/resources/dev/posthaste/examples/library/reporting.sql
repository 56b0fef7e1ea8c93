-- The effects of statistics. No unique key on the message on purpose: a second effect would show.
CREATE SCHEMA IF NOT EXISTS reporting;

CREATE TABLE IF NOT EXISTS reporting.borrowed (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id  uuid   NOT NULL,
    copy_id     text   NOT NULL,
    loan_number bigint NOT NULL
);

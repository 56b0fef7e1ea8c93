-- The lending service's own tables, beside the outbox.
CREATE SCHEMA IF NOT EXISTS lending;

CREATE TABLE IF NOT EXISTS lending.copy (
    copy_id text   PRIMARY KEY,
    loans   bigint NOT NULL DEFAULT 0
);

CREATE TABLE IF NOT EXISTS lending.loan (
    loan_id     uuid   PRIMARY KEY,
    copy_id     text   NOT NULL REFERENCES lending.copy,
    member_id   text   NOT NULL,
    loan_number bigint NOT NULL,
    due_on      date   NOT NULL,
    UNIQUE (copy_id, loan_number)
);

-- For the demo's check alone: messages staged in transactions or savepoints that were about to be rolled back, written by
-- another connection beforehand. None of them may ever appear anywhere.
CREATE TABLE IF NOT EXISTS lending.to_be_rolled_back (
    message_id uuid PRIMARY KEY
);

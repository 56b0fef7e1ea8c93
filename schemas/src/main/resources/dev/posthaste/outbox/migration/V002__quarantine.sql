-- What cannot be published to a handler is set aside, so that it stops nobody; and who did what about it.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'posthaste_operator') THEN
        CREATE ROLE posthaste_operator NOLOGIN;
    END IF;
EXCEPTION
    WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;

-- One row per message and handler. It is written before the batch goes on; the message counts as dispatched to all other handlers.
CREATE TABLE outbox.quarantined (
    message_id     uuid        NOT NULL,
    created_at     timestamptz NOT NULL, -- the message's: it finds the partition, and tells two messages of one id apart
    handler        text        NOT NULL, -- '*': no handler is known, since the type is not
    state          text        NOT NULL DEFAULT 'quarantined',
    cause          text        NOT NULL,
    last_error     text        NOT NULL,
    attempt        integer     NOT NULL DEFAULT 1,
    next_attempt   timestamptz,
    fence          bigint      NOT NULL,
    quarantined_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    resolved_at    timestamptz,
    CONSTRAINT quarantined_pkey PRIMARY KEY (message_id, created_at, handler),
    CONSTRAINT state_is_quarantined_released_or_discarded CHECK (state IN ('quarantined', 'released', 'discarded')),
    CONSTRAINT resolved_at_is_set_exactly_when_resolved CHECK ((state = 'quarantined') = (resolved_at IS NULL)),
    CONSTRAINT last_error_is_at_most_2000_characters CHECK (char_length(last_error) <= 2000),
    CONSTRAINT attempt_is_at_least_1 CHECK (attempt >= 1)
);
CREATE INDEX quarantined_open ON outbox.quarantined (quarantined_at) WHERE state = 'quarantined';

-- Who released or discarded what, why, and the failure it answers (provision S1 34).
CREATE TABLE outbox.audit (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor      text        NOT NULL,
    action     text        NOT NULL,
    reason     text        NOT NULL,
    message_id uuid        NOT NULL,
    handler    text        NOT NULL,
    failure    text        NOT NULL,
    CONSTRAINT actor_is_not_empty CHECK (btrim(actor) <> ''),
    CONSTRAINT reason_is_not_empty CHECK (btrim(reason) <> ''),
    CONSTRAINT action_is_release_or_discard CHECK (action IN ('release', 'discard'))
);

-- A message with an open quarantine is a dead letter, whatever its other handlers got.
CREATE OR REPLACE VIEW outbox.record AS
SELECT m.id, m.kind, m.type, m.schema_version, m.key, m.tenant, m.occurred_at, m.created_at, m.content_type,
       m.payload, m.payload_bytes, m.headers,
       CASE WHEN q.message_id IS NOT NULL THEN 'dead-letter' WHEN d.batch IS NULL THEN 'pending' ELSE 'dispatched' END AS state,
       coalesce(q.attempt, d.attempt, 0) AS attempt,
       CASE WHEN q.message_id IS NOT NULL THEN q.next_attempt WHEN d.batch IS NULL THEN m.created_at END AS next_attempt,
       q.last_error,
       d.completed_at, d.slot, d.batch, d.fence, d.catalog_version
FROM outbox.message m
LEFT JOIN LATERAL (
    SELECT b.* FROM outbox.dispatch_batch b
    WHERE b.staged @> m.created_at AND m.id = ANY (b.message_ids)
    ORDER BY b.batch LIMIT 1) d ON true
LEFT JOIN LATERAL (
    SELECT o.* FROM outbox.quarantined o
    WHERE o.message_id = m.id AND o.created_at = m.created_at AND o.state = 'quarantined'
    ORDER BY o.quarantined_at DESC LIMIT 1) q ON true;

GRANT USAGE ON SCHEMA outbox, relay TO posthaste_operator;
GRANT SELECT ON ALL TABLES IN SCHEMA outbox TO posthaste_relay, posthaste_reader, posthaste_operator;
GRANT SELECT ON ALL TABLES IN SCHEMA relay TO posthaste_operator;
GRANT EXECUTE ON FUNCTION outbox.pending(), outbox.pending_summary() TO posthaste_operator;
GRANT INSERT, UPDATE ON outbox.quarantined TO posthaste_relay;
GRANT UPDATE ON outbox.quarantined TO posthaste_operator;
GRANT INSERT ON outbox.audit TO posthaste_operator;

-- What waits or leaves: failed attempts with their due times, dead letters, what waits behind a message of its key.
-- Run by Flyway (this folder as a location), by `posthaste init --inbox`, or by hand: psql -v ON_ERROR_STOP=1 -f V002__deliveries.sql

-- 0 attempts: stored without having been run, behind a message of its key or as a marker of the relay's.
ALTER TABLE inbox.delivery DROP CONSTRAINT attempt_is_at_least_1;
ALTER TABLE inbox.delivery ADD CONSTRAINT attempt_is_not_negative CHECK (attempt >= 0);
-- Attempts that count towards no bound: those before the last replay, those lost to locks.
ALTER TABLE inbox.delivery ADD COLUMN forgiven integer NOT NULL DEFAULT 0;
-- When the retry horizon began: at the first sight, or at the last replay.
ALTER TABLE inbox.delivery ADD COLUMN counted_from timestamptz NOT NULL DEFAULT clock_timestamp();
-- Why it is a dead letter, in one word; the summary is in last_error.
ALTER TABLE inbox.delivery ADD COLUMN code text;
ALTER TABLE inbox.delivery ADD CONSTRAINT a_dead_letter_has_a_code CHECK (state <> 'dead-letter' OR code IS NOT NULL);

-- An operator gives a dead letter up: its life ends without the effect.
ALTER TABLE inbox.delivery DROP CONSTRAINT state_is_pending_processing_completed_failed_or_dead_letter;
ALTER TABLE inbox.delivery ADD CONSTRAINT state_is_known
    CHECK (state IN ('pending', 'processing', 'completed', 'failed', 'dead-letter', 'discarded'));

-- Counts and lists by state read what is not completed only.
CREATE INDEX delivery_open ON inbox.delivery (handler, state, staged_at) WHERE state <> 'completed';

-- The consumer's own outbox: the record of every delivery that is neither completed nor under way for the first time, from its
-- first failure to its completion. Written in the transaction that records the failure; deleted in the one that completes.
CREATE TABLE inbox.outgoing (
    handler       text        NOT NULL,
    tenant        text        NOT NULL DEFAULT '',
    message_id    uuid        NOT NULL,
    staged_at     timestamptz NOT NULL,
    route         text        NOT NULL,
    -- The order behind a key: by first failure, which is commit order.
    place         bigint      GENERATED ALWAYS AS IDENTITY,
    -- SHA-256 of the record's key where the handler has order per key and later messages wait behind this one; else null.
    blocked_key   bytea,
    -- When a poller takes it next: due, or later than that while one has it in hand or could not emit it. Null: nothing to emit.
    emit_at       timestamptz,
    emitted_at    timestamptz,
    emit_failures integer     NOT NULL DEFAULT 0,
    emit_error    text,
    -- The span of the last attempt, to which the next one is linked.
    last_trace    text,
    record_key    bytea,
    record_value  bytea,
    header_names  bytea[]     NOT NULL,
    header_values bytea[]     NOT NULL,
    -- Of a dead letter, its code again and since when it is one: so that a page of a million is found in this table alone.
    dead_code     text,
    dead_at       timestamptz,
    -- The replay that has brought it back last.
    replay_id     uuid,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT outgoing_pkey PRIMARY KEY (handler, tenant, message_id, staged_at),
    CONSTRAINT route_is_retry_or_dead_letter CHECK (route IN ('retry', 'dead-letter')),
    CONSTRAINT a_dead_letter_has_code_and_time
        CHECK (route <> 'dead-letter' OR (dead_code IS NOT NULL AND dead_at IS NOT NULL)),
    CONSTRAINT every_header_has_a_value CHECK (cardinality(header_names) = cardinality(header_values))
);
CREATE INDEX outgoing_due ON inbox.outgoing (handler, route, emit_at) WHERE emit_at IS NOT NULL;
CREATE INDEX outgoing_behind ON inbox.outgoing (handler, blocked_key, place) WHERE blocked_key IS NOT NULL;
-- Pages of dead letters.
CREATE INDEX outgoing_dead ON inbox.outgoing (handler, place) WHERE route = 'dead-letter';
CREATE INDEX outgoing_dead_code ON inbox.outgoing (handler, dead_code, place) WHERE route = 'dead-letter';
CREATE INDEX outgoing_dead_at ON inbox.outgoing (handler, dead_at) WHERE route = 'dead-letter';
CREATE INDEX outgoing_dead_key ON inbox.outgoing (handler, sha256(record_key)) WHERE route = 'dead-letter';
-- Rows come and go; records are large and already compressed or small: keep dead rows few.
ALTER TABLE inbox.outgoing SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

-- What happened to deliveries that did not complete at once, and what was done to them: each attempt with its host and cause,
-- each replay with its actor and reason. Append-only.
CREATE TABLE inbox.journal (
    entry      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    handler    text        NOT NULL,
    tenant     text        NOT NULL DEFAULT '',
    message_id uuid        NOT NULL,
    staged_at  timestamptz NOT NULL,
    attempt    integer     NOT NULL,
    outcome    text        NOT NULL,
    code       text,
    summary    text,
    host       text        NOT NULL,
    actor      text,
    reason     text,
    replay_id  uuid,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When those who watch are told, or later than that while somebody does. Null: they were.
    tell_at    timestamptz DEFAULT clock_timestamp(),
    CONSTRAINT outcome_is_known CHECK (outcome IN ('failed', 'dead-letter', 'completed', 'replayed', 'discarded', 'refused')),
    CONSTRAINT an_operator_gives_name_and_reason
        CHECK (outcome NOT IN ('replayed', 'discarded') OR (actor IS NOT NULL AND actor <> '' AND reason IS NOT NULL AND reason <> ''))
);
CREATE INDEX journal_message ON inbox.journal (message_id);
CREATE INDEX journal_at ON inbox.journal (at);
CREATE INDEX journal_untold ON inbox.journal (handler, entry) WHERE tell_at IS NOT NULL;

-- Business keys: one effect per handler, tenant and key, on whatever day; the hash tells another payload under the same key.
CREATE TABLE inbox.business_key (
    handler      text        NOT NULL,
    tenant       text        NOT NULL DEFAULT '',
    key          text        NOT NULL,
    payload_hash bytea       NOT NULL,
    message_id   uuid        NOT NULL,
    staged_at    timestamptz NOT NULL,
    used_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT business_key_pkey PRIMARY KEY (handler, tenant, key)
);
CREATE INDEX business_key_used_at ON inbox.business_key (used_at);

-- Replays: the frozen selection, then who has it replayed and why.
CREATE TABLE inbox.replay (
    replay_id   uuid        PRIMARY KEY,
    handler     text        NOT NULL,
    selection   text        NOT NULL,
    selected    integer     NOT NULL,
    selected_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor       text,
    reason      text,
    -- Messages per second.
    rate        integer,
    started_at  timestamptz,
    -- The next message is due then or later.
    paced_until timestamptz,
    CONSTRAINT a_replay_that_has_started_has_an_actor CHECK (started_at IS NULL OR (actor IS NOT NULL AND actor <> '')),
    CONSTRAINT a_replay_that_has_started_has_a_reason CHECK (started_at IS NULL OR (reason IS NOT NULL AND reason <> '')),
    CONSTRAINT a_replay_that_has_started_has_a_rate CHECK (started_at IS NULL OR (rate IS NOT NULL AND rate >= 1))
);
CREATE INDEX replay_selected_at ON inbox.replay (selected_at);
CREATE TABLE inbox.replay_item (
    replay_id   uuid        NOT NULL REFERENCES inbox.replay,
    number      integer     NOT NULL,
    tenant      text        NOT NULL DEFAULT '',
    message_id  uuid        NOT NULL,
    staged_at   timestamptz NOT NULL,
    -- The attempt after which it was a dead letter when it was selected.
    attempt     integer     NOT NULL,
    result      text,
    decided_at  timestamptz,
    CONSTRAINT replay_item_pkey PRIMARY KEY (replay_id, number),
    CONSTRAINT result_is_known CHECK (result IN ('requeued', 'already-done', 'no-dead-letter', 'quarantined'))
);
CREATE INDEX replay_item_open ON inbox.replay_item (replay_id, number) WHERE result IS NULL;

-- The namespace a handler belongs to: that of the consumer that came first. All other tables know handlers by name alone, so
-- one of the same name in another namespace is refused. After a namespace was renamed: change it here.
CREATE TABLE inbox.handler (
    handler    text        PRIMARY KEY,
    namespace  text        NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- How long a handler's rows are kept, counted from completion; its consumers state it when they start. Null: for ever.
-- Rows of a handler without a row here are kept: state one for a handler that is no more.
CREATE TABLE inbox.retention (
    handler   text        PRIMARY KEY,
    kept      interval,
    stated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT kept_is_at_least_an_hour CHECK (kept >= interval '1 hour')
);
CREATE VIEW inbox.cutoff AS SELECT handler, clock_timestamp() - kept AS before FROM inbox.retention;

-- Drops one daily partition in which every row is completed or discarded, and was so before its handler's cutoff; returns its
-- name, or null where there is none. Nothing is claimed while it looks at that partition for the last time.
CREATE FUNCTION inbox.drop_expired_partition() RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    SET TimeZone = 'UTC'
    SET lock_timeout = '2s'
AS $$
DECLARE
    open_rows CONSTANT text := 'SELECT EXISTS (SELECT FROM inbox.%I WHERE state <> ''completed'' AND state <> ''discarded'')';
    young_rows CONSTANT text := 'SELECT EXISTS (SELECT FROM inbox.%I d LEFT JOIN inbox.cutoff c USING (handler) '
        'WHERE (coalesce(d.completed_at, d.first_seen_at) < c.before) IS NOT TRUE)';
    partition_name text;
    needed boolean;
BEGIN
    FOR partition_name IN
        SELECT p.relname FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid
        WHERE i.inhparent = 'inbox.delivery'::regclass
          AND CASE WHEN p.relname ~ '^delivery_[0-9]{8}$'
                   THEN to_date(substr(p.relname, 10), 'YYYYMMDD') + 1 <= (SELECT max(before) FROM inbox.cutoff) END
        ORDER BY 1
    LOOP
        EXECUTE format(open_rows, partition_name) INTO needed;
        CONTINUE WHEN needed;
        EXECUTE format(young_rows, partition_name) INTO needed;
        CONTINUE WHEN needed;
        LOCK TABLE ONLY inbox.delivery IN ACCESS EXCLUSIVE MODE;
        EXECUTE format(open_rows, partition_name) INTO needed;
        IF NOT needed THEN
            EXECUTE format(young_rows, partition_name) INTO needed;
        END IF;
        IF needed THEN
            RETURN NULL; -- a row has come in at the last moment
        END IF;
        EXECUTE format('DROP TABLE inbox.%I', partition_name);
        RETURN partition_name;
    END LOOP;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION inbox.drop_expired_partition() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION inbox.drop_expired_partition() TO posthaste_consumer;

GRANT SELECT ON inbox.cutoff TO posthaste_consumer;
GRANT SELECT, INSERT ON inbox.handler TO posthaste_consumer;
GRANT SELECT, INSERT, UPDATE, DELETE ON inbox.retention TO posthaste_consumer;
GRANT SELECT, INSERT, UPDATE, DELETE ON inbox.outgoing, inbox.business_key, inbox.replay, inbox.replay_item TO posthaste_consumer;
GRANT SELECT, INSERT, DELETE, UPDATE (tell_at) ON inbox.journal TO posthaste_consumer;

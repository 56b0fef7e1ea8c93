-- The outbox: what services write and what the relay reads and proves.
-- Run by `posthaste init`, by Flyway (this folder as a location), or by hand: psql -v ON_ERROR_STOP=1 -f V001__outbox.sql
-- The role that runs it must own the database or hold CREATE on it, and CREATEROLE for the three group roles.

CREATE SCHEMA outbox;
CREATE SCHEMA relay;

-- Group roles. A service's login role is made a member of posthaste_writer, the relay's of posthaste_relay
-- (with the REPLICATION attribute, which membership does not give), an operator's of posthaste_reader.
DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['posthaste_writer', 'posthaste_relay', 'posthaste_reader'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
        END IF;
    END LOOP;
EXCEPTION
    -- Roles belong to the server: another database may be migrated at this very moment.
    WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;

-- Headers become Kafka record headers: text to text, and never one of ours.
CREATE FUNCTION outbox.headers_are_valid(headers json) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN json_typeof(headers) = 'object'
    AND NOT EXISTS (
        SELECT FROM json_each(CASE WHEN json_typeof(headers) = 'object' THEN headers ELSE '{}' END) AS header
        WHERE json_typeof(header.value) <> 'string'
           OR header.key = ''
           OR header.key ~* '^(ce_|posthaste_|content-type$)');

-- Insert-only, and a public contract: any language may insert here. A bad row fails in the business transaction;
-- the constraint's name is the rule.
CREATE TABLE outbox.message (
    id             uuid        NOT NULL DEFAULT uuidv7(),
    kind           text        NOT NULL,
    type           text        NOT NULL,
    schema_version integer     NOT NULL,
    key            text,
    tenant         text        NOT NULL DEFAULT '',
    occurred_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    content_type   text        NOT NULL DEFAULT 'application/json',
    payload        json,       -- json, not jsonb: jsonb rewrites the bytes
    payload_bytes  bytea,
    headers        json,
    created_at     timestamptz NOT NULL DEFAULT now(),
    -- The writing transaction, for the exact count of what is pending (see outbox.settled). Not published.
    staged_xid     bigint      NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    CONSTRAINT message_pkey PRIMARY KEY (id, created_at),
    CONSTRAINT kind_is_integration_event_journey_step_command_or_side_effect
        CHECK (kind IN ('integration-event', 'journey-step-command', 'provider-side-effect')),
    CONSTRAINT type_is_not_empty CHECK (type <> ''),
    CONSTRAINT type_is_at_most_200_characters CHECK (char_length(type) <= 200),
    CONSTRAINT schema_version_is_at_least_1 CHECK (schema_version >= 1),
    CONSTRAINT key_is_not_empty CHECK (key <> ''),
    CONSTRAINT key_is_at_most_1024_bytes CHECK (octet_length(key) <= 1024),
    CONSTRAINT tenant_is_at_most_200_characters CHECK (char_length(tenant) <= 200),
    -- They are shown to people and written to logs.
    CONSTRAINT type_has_no_control_characters CHECK (type !~ '[[:cntrl:]]'),
    CONSTRAINT tenant_has_no_control_characters CHECK (tenant !~ '[[:cntrl:]]'),
    CONSTRAINT content_type_has_no_control_characters CHECK (content_type !~ '[[:cntrl:]]'),
    CONSTRAINT occurred_at_is_in_years_1_to_9999
        CHECK (occurred_at >= '0001-01-01 00:00+00' AND occurred_at < '10000-01-01 00:00+00'),
    CONSTRAINT created_at_is_in_years_1_to_9999
        CHECK (created_at >= '0001-01-01 00:00+00' AND created_at < '10000-01-01 00:00+00'),
    CONSTRAINT content_type_is_not_empty_and_at_most_200_characters
        CHECK (content_type <> '' AND char_length(content_type) <= 200),
    CONSTRAINT exactly_one_of_payload_and_payload_bytes_is_set CHECK (num_nonnulls(payload, payload_bytes) = 1),
    CONSTRAINT payload_is_at_most_8_mib CHECK (octet_length(payload::text) <= 8388608),
    CONSTRAINT payload_bytes_is_at_most_8_mib CHECK (octet_length(payload_bytes) <= 8388608),
    CONSTRAINT headers_is_a_json_object_of_strings_without_reserved_names CHECK (outbox.headers_are_valid(headers)),
    CONSTRAINT headers_is_at_most_16_kib CHECK (octet_length(headers::text) <= 16384)
) PARTITION BY RANGE (created_at);

COMMENT ON TABLE outbox.message IS
    'Transactional outbox: insert a row in the transaction of the business change; the relay publishes it once committed.';
COMMENT ON COLUMN outbox.message.id IS 'Message ID; kept through every retry and replay. Default: a time-ordered UUIDv7.';
COMMENT ON COLUMN outbox.message.key IS 'Ordering key and Kafka record key. NULL: the id is used.';
COMMENT ON COLUMN outbox.message.tenant IS 'Scopes deduplication, operators and metrics. Empty: no tenant.';
COMMENT ON COLUMN outbox.message.payload IS 'JSON, delivered byte for byte as written. Exactly one of payload and payload_bytes is set.';
COMMENT ON COLUMN outbox.message.created_at IS 'Start of the writing transaction, set by the database; the partition key.';

-- Tiny: one entry per 32 pages. It narrows the search for pending messages to the newest pages.
CREATE INDEX message_staged_xid ON outbox.message USING brin (staged_xid) WITH (pages_per_range = 32, autosummarize = on);

-- A row never fails for want of a partition: what fits no daily one lands here until ensure_partitions() moves it.
CREATE TABLE outbox.message_default PARTITION OF outbox.message DEFAULT;

CREATE FUNCTION outbox.refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'outbox.message is insert-only: message % cannot be changed; insert a new message instead', OLD.id
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER message_is_insert_only BEFORE UPDATE ON outbox.message
    FOR EACH ROW EXECUTE FUNCTION outbox.refuse_update();

-- Makes the daily partitions (UTC) for today and the days ahead; returns how many it made. Called by `posthaste init`
-- and hourly by the leading relay, whose role owns no table: hence SECURITY DEFINER.
CREATE FUNCTION outbox.ensure_partitions(days_ahead integer DEFAULT 7) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    SET TimeZone = 'UTC'
    SET lock_timeout = '5s'
AS $$
DECLARE
    first_day date := current_date;
    day date;
    partition_name text;
    made integer := 0;
BEGIN
    IF days_ahead IS NULL OR days_ahead NOT BETWEEN 0 AND 366 THEN
        RAISE EXCEPTION 'days_ahead is %, but must be from 0 to 366', days_ahead USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('outbox.ensure_partitions', 0));
    FOR offset_days IN 0 .. days_ahead LOOP
        day := first_day + offset_days;
        partition_name := 'message_' || to_char(day, 'YYYYMMDD');
        CONTINUE WHEN to_regclass('outbox.' || partition_name) IS NOT NULL;
        -- Rows of that day may be coming in: they wait. Routed to the default partition while it loses the day, they would fail.
        IF day = first_day OR EXISTS (SELECT FROM outbox.message_default
                                      WHERE created_at >= day::timestamptz AND created_at < (day + 1)::timestamptz) THEN
            LOCK TABLE outbox.message IN SHARE ROW EXCLUSIVE MODE;
        END IF;
        EXECUTE format('CREATE TABLE outbox.%I (LIKE outbox.message INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition_name);
        -- Rows that came while the partition was missing move before it is attached: then nothing is published twice.
        EXECUTE format(
            'WITH moved AS (DELETE FROM outbox.message_default WHERE created_at >= %L AND created_at < %L RETURNING *) '
            'INSERT INTO outbox.%I SELECT * FROM moved', day::timestamptz, (day + 1)::timestamptz, partition_name);
        EXECUTE format('ALTER TABLE outbox.message ATTACH PARTITION outbox.%I FOR VALUES FROM (%L) TO (%L)',
            partition_name, day::timestamptz, (day + 1)::timestamptz);
        made := made + 1;
    END LOOP;
    RETURN made;
END
$$;
SELECT outbox.ensure_partitions();

-- Evidence: one row per published batch, never changed. An UPDATE per message would double the WAL the relay itself decodes.
CREATE TABLE outbox.dispatch_batch (
    slot            text        NOT NULL,
    batch           bigint      NOT NULL,
    -- Counts the evidence of all slots, in the order in which it was written.
    serial          bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    attempt         integer     NOT NULL CHECK (attempt >= 1),
    fence           bigint      NOT NULL,
    position        pg_lsn      NOT NULL,
    catalog_version text        NOT NULL,
    completed_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- created_at of the messages, first to last: finds the batch of one message without an index entry per message.
    staged          tstzrange   NOT NULL,
    message_ids     uuid[]      NOT NULL,
    CONSTRAINT dispatch_batch_pkey PRIMARY KEY (slot, batch),
    CONSTRAINT message_ids_are_not_empty CHECK (cardinality(message_ids) > 0)
);
COMMENT ON COLUMN outbox.dispatch_batch.position IS 'End of the last wholly published source transaction, as in the position record of this batch.';
CREATE INDEX dispatch_batch_staged ON outbox.dispatch_batch USING gist (staged);
CREATE UNIQUE INDEX dispatch_batch_serial ON outbox.dispatch_batch (serial);

-- How far evidence is known to be complete, so that counting what is pending reads the newest messages only:
--   every message of a transaction below xid has evidence, and evidence of the others begins at first_serial.
-- next_xid and next_serial are the candidate that takes over once its transactions are over and their messages dispatched.
CREATE TABLE outbox.settled (
    only_row     boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    xid          bigint NOT NULL,
    first_serial bigint NOT NULL,
    next_xid     bigint NOT NULL,
    next_serial  bigint NOT NULL
);
INSERT INTO outbox.settled (xid, first_serial, next_xid, next_serial) VALUES (0, 0, 0, 0);

-- Messages committed and without evidence, exactly. One id staged twice is two messages: their created_at tells them apart. The bounds are read first, so that the planner sees them as constants.
CREATE FUNCTION outbox.pending()
    RETURNS TABLE (id uuid, kind text, type text, tenant text, created_at timestamptz, staged_xid bigint)
    LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    bound outbox.settled;
BEGIN
    SELECT * INTO STRICT bound FROM outbox.settled;
    RETURN QUERY EXECUTE format(
        'SELECT m.id, m.kind, m.type, m.tenant, m.created_at, m.staged_xid FROM outbox.message m '
        'WHERE m.staged_xid >= %s AND NOT EXISTS ('
        '    SELECT FROM (SELECT unnest(b.message_ids) AS id, b.staged FROM outbox.dispatch_batch b WHERE b.serial >= %s) dispatched '
        '    WHERE dispatched.id = m.id AND dispatched.staged @> m.created_at)', bound.xid, bound.first_serial);
END
$$;

CREATE FUNCTION outbox.pending_summary() RETURNS TABLE (messages bigint, oldest_created_at timestamptz)
    LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    bound outbox.settled;
BEGIN
    SELECT * INTO STRICT bound FROM outbox.settled;
    RETURN QUERY EXECUTE format(
        'SELECT count(*), min(m.created_at) FROM outbox.message m '
        'WHERE m.staged_xid >= %s AND NOT EXISTS ('
        '    SELECT FROM (SELECT unnest(b.message_ids) AS id, b.staged FROM outbox.dispatch_batch b WHERE b.serial >= %s) dispatched '
        '    WHERE dispatched.id = m.id AND dispatched.staged @> m.created_at)', bound.xid, bound.first_serial);
END
$$;

-- Moves the bounds of outbox.settled forward where that is safe. The leading relay calls it now and then.
--   1. Once every transaction below next_xid is over (prepared ones count as running), no further message can appear there.
--   2. A message of a transaction from the new next_xid on began after every batch visible now was committed, so its
--      evidence has a higher serial. Both are read in one statement, that is, in one snapshot.
CREATE FUNCTION outbox.advance_settled() RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    bound outbox.settled;
BEGIN
    SELECT * INTO STRICT bound FROM outbox.settled FOR UPDATE;
    IF pg_snapshot_xmin(pg_current_snapshot())::text::bigint < bound.next_xid
        OR EXISTS (SELECT FROM outbox.pending() p WHERE p.staged_xid < bound.next_xid) THEN
        RETURN;
    END IF;
    UPDATE outbox.settled
    SET xid = bound.next_xid, first_serial = bound.next_serial, next_xid = now_at.xmax, next_serial = now_at.serial
    FROM (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS xmax,
                 (SELECT coalesce(max(b.serial), 0) + 1 FROM outbox.dispatch_batch b) AS serial) now_at;
END
$$;

-- Every message with its whole lifecycle. Fast for one id: the primary key finds the message, `staged` the batch.
CREATE VIEW outbox.record AS
SELECT m.id, m.kind, m.type, m.schema_version, m.key, m.tenant, m.occurred_at, m.created_at, m.content_type,
       m.payload, m.payload_bytes, m.headers,
       CASE WHEN d.batch IS NULL THEN 'pending' ELSE 'dispatched' END AS state,
       coalesce(d.attempt, 0) AS attempt,
       CASE WHEN d.batch IS NULL THEN m.created_at END AS next_attempt,
       NULL::text AS last_error,
       d.completed_at, d.slot, d.batch, d.fence, d.catalog_version
FROM outbox.message m
LEFT JOIN LATERAL (
    SELECT b.* FROM outbox.dispatch_batch b
    WHERE b.staged @> m.created_at AND m.id = ANY (b.message_ids)
    ORDER BY b.batch LIMIT 1) d ON true;

-- One leader per slot. Every time here is the database's.
CREATE TABLE relay.lease (
    slot        text        NOT NULL PRIMARY KEY,
    owner       text        NOT NULL,
    fence       bigint      NOT NULL CHECK (fence >= 1),
    acquired_at timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL
);
COMMENT ON COLUMN relay.lease.fence IS 'Grows with every leader; a write under an older fence is refused.';

-- Which slot publishes to which topics, so that two slots never do so unknowingly.
CREATE TABLE relay.source (
    slot          text        NOT NULL PRIMARY KEY,
    namespace     text        NOT NULL UNIQUE,
    registered_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Insert-only, through the root, and only the columns the relay needs: every column costs decoding time.
CREATE PUBLICATION posthaste FOR TABLE outbox.message
    (id, kind, type, schema_version, key, tenant, occurred_at, content_type, payload, payload_bytes, headers, created_at)
    WITH (publish = 'insert', publish_via_partition_root = true);

REVOKE ALL ON FUNCTION outbox.ensure_partitions(integer), outbox.pending(), outbox.pending_summary(),
    outbox.advance_settled(), outbox.refuse_update() FROM PUBLIC;

GRANT USAGE ON SCHEMA outbox TO posthaste_writer, posthaste_relay, posthaste_reader;
GRANT USAGE ON SCHEMA relay TO posthaste_relay, posthaste_reader;

-- A writer sets neither created_at nor staged_xid: the database does.
GRANT INSERT (id, kind, type, schema_version, key, tenant, occurred_at, content_type, payload, payload_bytes, headers)
    ON outbox.message TO posthaste_writer;

GRANT SELECT ON ALL TABLES IN SCHEMA outbox TO posthaste_relay, posthaste_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA relay TO posthaste_relay, posthaste_reader;
GRANT INSERT ON outbox.dispatch_batch TO posthaste_relay;
GRANT UPDATE ON outbox.settled TO posthaste_relay;
GRANT INSERT, UPDATE ON relay.lease TO posthaste_relay;
GRANT EXECUTE ON FUNCTION outbox.pending(), outbox.pending_summary() TO posthaste_relay, posthaste_reader;
GRANT EXECUTE ON FUNCTION outbox.ensure_partitions(integer), outbox.advance_settled() TO posthaste_relay;

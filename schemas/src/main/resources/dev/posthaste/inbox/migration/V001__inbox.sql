-- The inbox: what a consuming service has seen and done. It lives in the service's own database, beside its business tables.
-- Run by Flyway (this folder as a location), by `posthaste init --inbox`, or by hand: psql -v ON_ERROR_STOP=1 -f V001__inbox.sql

CREATE SCHEMA inbox;

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'posthaste_consumer') THEN
        CREATE ROLE posthaste_consumer NOLOGIN;
    END IF;
EXCEPTION
    WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;

-- One row per handler, tenant and message: claimed, run and completed in the transaction of the effect.
-- Partitioned by the day the message was staged, which no redelivery changes: so the primary key deduplicates across all days.
CREATE TABLE inbox.delivery (
    handler          text        NOT NULL,
    tenant           text        NOT NULL DEFAULT '',
    message_id       uuid        NOT NULL,
    staged_at        timestamptz NOT NULL,
    state            text        NOT NULL,
    attempt          integer     NOT NULL DEFAULT 1,
    next_attempt     timestamptz,
    lease_owner      text,
    lease_expires_at timestamptz,
    fence            bigint,
    last_error       text,
    first_seen_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    completed_at     timestamptz,
    record_topic     text        NOT NULL,
    record_partition integer     NOT NULL,
    record_offset    bigint      NOT NULL,
    CONSTRAINT delivery_pkey PRIMARY KEY (handler, tenant, message_id, staged_at),
    CONSTRAINT state_is_pending_processing_completed_failed_or_dead_letter
        CHECK (state IN ('pending', 'processing', 'completed', 'failed', 'dead-letter')),
    CONSTRAINT completed_at_is_set_exactly_when_completed CHECK ((state = 'completed') = (completed_at IS NOT NULL)),
    CONSTRAINT attempt_is_at_least_1 CHECK (attempt >= 1)
) PARTITION BY RANGE (staged_at);

CREATE TABLE inbox.delivery_default PARTITION OF inbox.delivery DEFAULT;

-- Which partitions a handler has begun to read. A group that has begun one and has no committed offset has lost it.
CREATE TABLE inbox.started_partition (
    handler          text        NOT NULL,
    record_topic     text        NOT NULL,
    record_partition integer     NOT NULL,
    started_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT started_partition_pkey PRIMARY KEY (handler, record_topic, record_partition)
);

-- Makes the daily partitions (UTC) for today and the days ahead; returns how many it made.
CREATE FUNCTION inbox.ensure_partitions(days_ahead integer DEFAULT 7) RETURNS integer
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
    PERFORM pg_advisory_xact_lock(hashtextextended('inbox.ensure_partitions', 0));
    FOR offset_days IN 0 .. days_ahead LOOP
        day := first_day + offset_days;
        partition_name := 'delivery_' || to_char(day, 'YYYYMMDD');
        CONTINUE WHEN to_regclass('inbox.' || partition_name) IS NOT NULL;
        -- Rows of that day may be coming in: they wait. Routed to the default partition while it loses the day, they would fail.
        IF day = first_day OR EXISTS (SELECT FROM inbox.delivery_default
                                      WHERE staged_at >= day::timestamptz AND staged_at < (day + 1)::timestamptz) THEN
            LOCK TABLE inbox.delivery IN SHARE ROW EXCLUSIVE MODE;
        END IF;
        EXECUTE format('CREATE TABLE inbox.%I (LIKE inbox.delivery INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition_name);
        EXECUTE format(
            'WITH moved AS (DELETE FROM inbox.delivery_default WHERE staged_at >= %L AND staged_at < %L RETURNING *) '
            'INSERT INTO inbox.%I SELECT * FROM moved', day::timestamptz, (day + 1)::timestamptz, partition_name);
        EXECUTE format('ALTER TABLE inbox.delivery ATTACH PARTITION inbox.%I FOR VALUES FROM (%L) TO (%L)',
            partition_name, day::timestamptz, (day + 1)::timestamptz);
        made := made + 1;
    END LOOP;
    RETURN made;
END
$$;
SELECT inbox.ensure_partitions();

REVOKE ALL ON FUNCTION inbox.ensure_partitions(integer) FROM PUBLIC;
GRANT USAGE ON SCHEMA inbox TO posthaste_consumer;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA inbox TO posthaste_consumer;
GRANT EXECUTE ON FUNCTION inbox.ensure_partitions(integer) TO posthaste_consumer;

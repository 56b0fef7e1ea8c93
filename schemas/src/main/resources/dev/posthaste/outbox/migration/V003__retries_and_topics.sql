-- What may pass by itself is tried again by the leading relay, to a bound; partition counts are remembered; figures by type.

-- Set while the relay tries a message again, so that an operator does not release it at the same moment.
ALTER TABLE outbox.quarantined
    ADD COLUMN trying_until timestamptz,
    ADD CONSTRAINT next_attempt_is_set_only_while_quarantined CHECK (state = 'quarantined' OR next_attempt IS NULL);
COMMENT ON COLUMN outbox.quarantined.next_attempt IS 'When the relay tries again by itself. NULL: it does not; an operator decides.';
CREATE INDEX quarantined_due ON outbox.quarantined (next_attempt) WHERE next_attempt IS NOT NULL;

-- How many partitions each topic had when it was first seen: another count moves keys to other partitions, and breaks their order.
CREATE TABLE relay.topic (
    topic      text        NOT NULL PRIMARY KEY,
    partitions integer     NOT NULL CHECK (partitions >= 1),
    seen_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Since when a topic is missing or forbidden, so that a takeover does not begin to count anew.
CREATE TABLE relay.closed_topic (
    topic text        NOT NULL PRIMARY KEY,
    since timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- What waits, by type and version, so that each handler's share can be told. As outbox.pending_summary(), in the same one reading.
CREATE FUNCTION outbox.pending_by_type()
    RETURNS TABLE (type text, schema_version integer, messages bigint, oldest_created_at timestamptz)
    LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    bound outbox.settled;
BEGIN
    SELECT * INTO STRICT bound FROM outbox.settled;
    RETURN QUERY EXECUTE format(
        'SELECT m.type, m.schema_version, count(*), min(m.created_at) FROM outbox.message m '
        'WHERE m.staged_xid >= %s AND NOT EXISTS ('
        '    SELECT FROM (SELECT unnest(b.message_ids) AS id, b.staged FROM outbox.dispatch_batch b WHERE b.serial >= %s) dispatched '
        '    WHERE dispatched.id = m.id AND dispatched.staged @> m.created_at) '
        'GROUP BY m.type, m.schema_version', bound.xid, bound.first_serial);
END
$$;

-- A message that waits for another attempt has failed and is no dead letter yet; one dead letter makes the message one.
CREATE OR REPLACE VIEW outbox.record AS
SELECT m.id, m.kind, m.type, m.schema_version, m.key, m.tenant, m.occurred_at, m.created_at, m.content_type,
       m.payload, m.payload_bytes, m.headers,
       CASE WHEN q.next_attempt IS NOT NULL THEN 'failed' WHEN q.message_id IS NOT NULL THEN 'dead-letter'
            WHEN d.batch IS NULL THEN 'pending' ELSE 'dispatched' END AS state,
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
    ORDER BY o.next_attempt IS NULL DESC, o.quarantined_at DESC LIMIT 1) q ON true;

REVOKE ALL ON FUNCTION outbox.pending_by_type() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION outbox.pending_by_type() TO posthaste_relay, posthaste_reader, posthaste_operator;
GRANT SELECT ON relay.topic, relay.closed_topic TO posthaste_relay, posthaste_reader, posthaste_operator;
GRANT INSERT ON relay.topic TO posthaste_relay;
GRANT INSERT, DELETE ON relay.closed_topic TO posthaste_relay;

-- The relay audits what it releases by itself, under its own name and no other; nobody else uses that name.
GRANT INSERT ON outbox.audit TO posthaste_relay;
ALTER TABLE outbox.audit ENABLE ROW LEVEL SECURITY;
CREATE POLICY audit_is_read ON outbox.audit FOR SELECT USING (true);
CREATE POLICY relay_writes_as_itself ON outbox.audit FOR INSERT TO posthaste_relay
    WITH CHECK (actor = 'posthaste-relay' AND action = 'release');
CREATE POLICY operator_writes_as_somebody ON outbox.audit FOR INSERT TO posthaste_operator
    WITH CHECK (actor <> 'posthaste-relay');

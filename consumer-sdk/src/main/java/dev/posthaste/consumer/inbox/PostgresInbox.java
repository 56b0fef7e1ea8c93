package dev.posthaste.consumer.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The inbox in the tables of the schema {@code inbox}. Immutable and thread-safe. */
public final class PostgresInbox implements InboxStore {

    private static final String STARTED =
            "SELECT record_partition FROM inbox.started_partition WHERE handler = ? AND record_topic = ?";

    private static final String START = """
            INSERT INTO inbox.started_partition (handler, record_topic, record_partition) VALUES (?, ?, ?)
            ON CONFLICT DO NOTHING""";

    private static final String BEGIN_AGAIN = """
            UPDATE inbox.delivery SET state = 'processing', attempt = ?, forgiven = ?, lease_owner = ?, lease_expires_at = NULL
            WHERE handler = ? AND tenant = ? AND message_id = ? AND staged_at = ?""";

    private static final String EMIT_DEAD_AGAIN = """
            UPDATE inbox.outgoing o SET emit_at = clock_timestamp()
            FROM unnest(?::text[], ?::uuid[], ?::timestamptz[]) AS a(tenant, message_id, staged_at)
            WHERE o.handler = ? AND o.tenant = a.tenant AND o.message_id = a.message_id AND o.staged_at = a.staged_at
              AND o.route = 'dead-letter' AND o.emit_at IS NULL""";

    private final String handler;
    private final String owner;
    private final Duration lockTimeout;
    private final Claims claims;
    private final Completions completions;
    private final Failures failures;
    private final Leases leases;
    private final DueRecords dueRecords;
    private final Figures figures;
    private final Journal journal;
    private final BusinessKeys keys;
    private final Interventions interventions;

    /**
     * Makes one.
     *
     * @param handler whose inbox
     * @param owner names this process in claims; unique to it
     * @param host names the machine in the journal
     * @param lockTimeout bound of every wait for a lock
     * @param attemptsMax as which attempt a message runs at most that no row tells of
     */
    public PostgresInbox(String handler, String owner, String host, Duration lockTimeout, int attemptsMax) {
        this.handler = handler;
        this.owner = owner;
        this.lockTimeout = lockTimeout;
        this.claims = new Claims(handler, owner, attemptsMax);
        this.completions = new Completions(handler, host);
        this.failures = new Failures(handler, host, completions);
        this.leases = new Leases(handler, owner);
        this.dueRecords = new DueRecords(handler);
        this.figures = new Figures(handler);
        this.journal = new Journal(handler);
        this.keys = new BusinessKeys(handler);
        this.interventions = new Interventions(handler, host, completions, keys);
    }

    @Override
    public void limitLocks(Connection connection) throws SQLException {
        try (PreparedStatement limit = connection.prepareStatement("SELECT set_config('lock_timeout', ?, true)")) {
            limit.setString(1, lockTimeout.toMillis() + "ms");
            limit.execute();
        }
    }

    @Override
    public Claim claim(Connection connection, List<Arrival> arrivals) throws SQLException {
        Claims.Findings findings = claims.look(connection, arrivals, true);
        completions.complete(connection, arrivals, findings.again);
        emitDeadAgain(connection, arrivals, findings.dead);
        return new Claim(Claims.inOrder(arrivals, findings), findings.transaction, findings.keys);
    }

    @Override
    public List<KeyVerdict> useKeys(Connection connection, List<BusinessKey> used) throws SQLException {
        return keys.use(connection, used);
    }

    @Override
    public void requireSameTransaction(Connection connection, Claim claim) throws SQLException {
        if (claim.transaction().isEmpty()) {
            return;
        }
        try (PreparedStatement current = connection.prepareStatement("SELECT pg_current_xact_id_if_assigned()::text");
                ResultSet row = current.executeQuery()) {
            row.next();
            if (!claim.transaction().equals(row.getString(1))) {
                throw new TransactionEndedException(claim.verdicts().size());
            }
        }
    }

    @Override
    public void requireRolledBack(Connection connection, Claim claim) throws SQLException {
        if (claim.transaction().isEmpty()) {
            return;
        }
        try (PreparedStatement status = connection.prepareStatement("SELECT pg_xact_status(?::xid8) = 'aborted'")) {
            status.setString(1, claim.transaction());
            try (ResultSet row = status.executeQuery()) {
                row.next();
                if (!row.getBoolean(1)) {
                    throw new TransactionEndedException(claim.verdicts().size());
                }
            }
        }
    }

    @Override
    public Verdict begin(Connection connection, Arrival arrival) throws SQLException {
        Claims.Findings findings = claims.look(connection, List.of(arrival), false);
        Verdict verdict = Claims.inOrder(List.of(arrival), findings).get(0);
        Verdict.Run again = findings.again.get(arrival.offset());
        if (again != null) {
            beginAgain(connection, arrival.id(), again);
        }
        emitDeadAgain(connection, List.of(arrival), findings.dead);
        return verdict;
    }

    @Override
    public Verdict lease(Connection connection, Arrival arrival, Duration lease) throws SQLException {
        Claims.Findings findings = claims.look(connection, List.of(arrival), false);
        Verdict verdict = Claims.inOrder(List.of(arrival), findings).get(0);
        emitDeadAgain(connection, List.of(arrival), findings.dead);
        if (verdict instanceof Verdict.Run run) {
            return new Verdict.Leased(run, leases.begin(connection, arrival.id(), run, lease), false);
        }
        if (verdict instanceof Verdict.Unfinished unfinished) {
            Verdict.Run begun = unfinished.begun();
            return new Verdict.Leased(begun, leases.begin(connection, arrival.id(), begun, lease), true);
        }
        return verdict;
    }

    @Override
    public List<LeasedDelivery> renew(Connection connection, List<LeasedDelivery> held, Duration lease)
            throws SQLException {
        return leases.renew(connection, held, lease);
    }

    @Override
    public boolean complete(Connection connection, LeasedDelivery held, int attempt) throws SQLException {
        if (!leases.complete(connection, held)) {
            return false;
        }
        completions.completed(connection, held.id(), attempt);
        return true;
    }

    @Override
    public boolean release(Connection connection, LeasedDelivery held) throws SQLException {
        return leases.release(connection, held);
    }

    private void beginAgain(Connection connection, DeliveryId id, Verdict.Run run) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(BEGIN_AGAIN)) {
            update.setInt(1, run.attempt());
            update.setInt(2, run.forgiven());
            update.setString(3, owner);
            SqlArrays.bindId(update, 4, handler, id);
            update.executeUpdate();
        }
    }

    private void emitDeadAgain(Connection connection, List<Arrival> arrivals, Set<Long> dead) throws SQLException {
        List<Arrival> again =
                arrivals.stream().filter(a -> dead.contains(a.offset())).toList();
        if (again.isEmpty()) {
            return;
        }
        try (PreparedStatement update = connection.prepareStatement(EMIT_DEAD_AGAIN)) {
            int next = SqlArrays.bindIds(update, 1, again, Arrival::id);
            update.setString(next, handler);
            update.executeUpdate();
        }
    }

    @Override
    public boolean fail(Connection connection, FailedAttempt failed) throws SQLException {
        boolean written = failures.fail(connection, failed);
        if (written && failed.fate() instanceof Fate.DeadLetter) {
            keys.giveBack(connection, List.of(failed.arrival().id()));
        }
        return written;
    }

    @Override
    public boolean keepBehind(Connection connection, Arrival arrival, StoredRecord record, int waitingMax)
            throws SQLException {
        return failures.keepBehind(connection, arrival, record, waitingMax);
    }

    @Override
    public List<Requeued> requeue(
            Connection connection, List<DeadAttempt> wanted, Intervention by, Instant first, Duration apart)
            throws SQLException {
        return interventions.requeue(connection, wanted, by, first, apart);
    }

    @Override
    public boolean discard(Connection connection, DeadAttempt letter, Intervention by) throws SQLException {
        return interventions.discard(connection, letter, by);
    }

    @Override
    public Map<String, Long> countsByState(Connection connection) throws SQLException {
        return figures.byState(connection);
    }

    @Override
    public Waiting waiting(Connection connection) throws SQLException {
        return figures.waiting(connection);
    }

    @Override
    public Set<Integer> startedPartitions(Connection connection, String topic) throws SQLException {
        Set<Integer> partitions = new HashSet<>();
        try (PreparedStatement started = connection.prepareStatement(STARTED)) {
            started.setString(1, handler);
            started.setString(2, topic);
            try (ResultSet rows = started.executeQuery()) {
                while (rows.next()) {
                    partitions.add(rows.getInt(1));
                }
            }
        }
        return partitions;
    }

    @Override
    public void startPartition(Connection connection, String topic, int partition) throws SQLException {
        try (PreparedStatement start = connection.prepareStatement(START)) {
            start.setString(1, handler);
            start.setString(2, topic);
            start.setInt(3, partition);
            start.executeUpdate();
        }
    }

    @Override
    public List<DueRecord> takeDue(Connection connection, Route route, int max, Duration lease) throws SQLException {
        return dueRecords.take(connection, route, max, lease);
    }

    @Override
    public void emitted(Connection connection, List<DueRecord> records) throws SQLException {
        dueRecords.emitted(connection, records);
    }

    @Override
    public void notEmitted(Connection connection, DueRecord record, String error, Duration delay) throws SQLException {
        dueRecords.notEmitted(connection, record, error, delay);
    }

    @Override
    public void letGo(Connection connection, List<byte[]> keys) throws SQLException {
        completions.letGo(connection, keys);
    }

    @Override
    public int letGoOfAll(Connection connection) throws SQLException {
        return completions.letGoOfAll(connection);
    }

    @Override
    public List<JournalEntry> takeUntold(Connection connection, int max, Duration lease) throws SQLException {
        return journal.takeUntold(connection, max, lease);
    }

    @Override
    public void told(Connection connection, List<JournalEntry> entries) throws SQLException {
        journal.told(connection, entries);
    }
}

package dev.posthaste.consumer.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The statements by which operators bring dead letters back or give them up. Immutable and thread-safe. */
final class Interventions {

    /** Sorted, so that two operators wait for each other instead of deadlocking. */
    private static final String LOCK = """
            SELECT a.number, d.state, d.attempt, o.message_id IS NOT NULL
            FROM unnest(?::text[], ?::uuid[], ?::timestamptz[], ?::int[]) AS a(tenant, message_id, staged_at, number)
            JOIN inbox.delivery d ON d.handler = ? AND d.tenant = a.tenant AND d.message_id = a.message_id
                AND d.staged_at = a.staged_at
            LEFT JOIN inbox.outgoing o ON o.handler = d.handler AND o.tenant = d.tenant AND o.message_id = d.message_id
                AND o.staged_at = d.staged_at
            ORDER BY d.tenant, d.message_id, d.staged_at
            FOR UPDATE OF d""";

    /** All attempts so far are forgiven, and the horizon begins anew. */
    private static final String REVIVE = """
            UPDATE inbox.delivery d SET state = 'pending', forgiven = d.attempt, counted_from = a.due, next_attempt = a.due,
                   lease_owner = NULL, lease_expires_at = NULL
            FROM unnest(?::text[], ?::uuid[], ?::timestamptz[], ?::timestamptz[]) AS a(tenant, message_id, staged_at, due)
            WHERE d.handler = ? AND d.tenant = a.tenant AND d.message_id = a.message_id AND d.staged_at = a.staged_at""";

    /** Its place behind its key stays. */
    private static final String SEND = """
            UPDATE inbox.outgoing o SET route = 'retry', emit_at = a.due, emitted_at = NULL, emit_failures = 0,
                   emit_error = NULL, dead_code = NULL, dead_at = NULL, replay_id = ?::uuid
            FROM unnest(?::text[], ?::uuid[], ?::timestamptz[], ?::timestamptz[]) AS a(tenant, message_id, staged_at, due)
            WHERE o.handler = ? AND o.tenant = a.tenant AND o.message_id = a.message_id AND o.staged_at = a.staged_at""";

    /** With the failure that is answered. */
    private static final String TELL = """
            INSERT INTO inbox.journal (handler, tenant, message_id, staged_at, attempt, outcome, code, summary, host, actor,
                                       reason, replay_id)
            SELECT d.handler, d.tenant, d.message_id, d.staged_at, d.attempt, ?, d.code, d.last_error, ?, ?, ?, ?::uuid
            FROM unnest(?::text[], ?::uuid[], ?::timestamptz[]) WITH ORDINALITY AS a(tenant, message_id, staged_at, number)
            JOIN inbox.delivery d ON d.handler = ? AND d.tenant = a.tenant AND d.message_id = a.message_id
                AND d.staged_at = a.staged_at
            ORDER BY a.number""";

    private static final String DISCARD = """
            UPDATE inbox.delivery d SET state = 'discarded', next_attempt = NULL
            FROM unnest(?::text[], ?::uuid[], ?::timestamptz[]) AS a(tenant, message_id, staged_at)
            WHERE d.handler = ? AND d.tenant = a.tenant AND d.message_id = a.message_id AND d.staged_at = a.staged_at""";

    private final String handler;
    private final String host;
    private final Completions completions;
    private final BusinessKeys keys;

    Interventions(String handler, String host, Completions completions, BusinessKeys keys) {
        this.handler = handler;
        this.host = host;
        this.completions = completions;
        this.keys = keys;
    }

    private record Due(DeliveryId id, Instant at) {}

    List<Requeued> requeue(
            Connection connection, List<DeadAttempt> wanted, Intervention by, Instant first, Duration apart)
            throws SQLException {
        List<Requeued> results = judge(connection, wanted);
        List<Due> due = new ArrayList<>();
        for (int i = 0; i < wanted.size(); i++) {
            if (results.get(i) == Requeued.REQUEUED) {
                due.add(new Due(wanted.get(i).id(), first.plus(apart.multipliedBy(due.size()))));
            }
        }
        if (!due.isEmpty()) {
            tell(connection, due.stream().map(Due::id).toList(), "replayed", by);
            revive(connection, due);
            send(connection, due, by);
        }
        return results;
    }

    /** What may be done with each; locks them. */
    private List<Requeued> judge(Connection connection, List<DeadAttempt> wanted) throws SQLException {
        List<Requeued> results = new ArrayList<>(Collections.nCopies(wanted.size(), Requeued.NO_DEAD_LETTER));
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < wanted.size(); i++) {
            numbers.add(i);
        }
        try (PreparedStatement lock = connection.prepareStatement(LOCK)) {
            int next = SqlArrays.bindIds(lock, 1, wanted, DeadAttempt::id);
            lock.setArray(next, SqlArrays.of(connection, "int4", numbers, number -> number));
            lock.setString(next + 1, handler);
            try (ResultSet rows = lock.executeQuery()) {
                while (rows.next()) {
                    int number = rows.getInt(1);
                    boolean unchanged = rows.getInt(3) == wanted.get(number).attempt() && rows.getBoolean(4);
                    results.set(number, judge(rows.getString(2), unchanged, rows.getInt(3)));
                }
            }
        }
        return results;
    }

    private static Requeued judge(String state, boolean unchanged, int attempt) {
        if (state.equals("completed")) {
            return Requeued.ALREADY_DONE;
        }
        if (!state.equals("dead-letter") || !unchanged) {
            return Requeued.NO_DEAD_LETTER;
        }
        return attempt == 0 ? Requeued.QUARANTINED : Requeued.REQUEUED;
    }

    private void revive(Connection connection, List<Due> due) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(REVIVE)) {
            update.setString(bind(update, 1, due), handler);
            update.executeUpdate();
        }
    }

    private void send(Connection connection, List<Due> due, Intervention by) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(SEND)) {
            update.setObject(1, by.replayId());
            update.setString(bind(update, 2, due), handler);
            update.executeUpdate();
        }
    }

    private static int bind(PreparedStatement statement, int first, List<Due> due) throws SQLException {
        int next = SqlArrays.bindIds(statement, first, due, Due::id);
        statement.setArray(next, SqlArrays.of(statement.getConnection(), "timestamptz", due, one -> one.at()
                .toString()));
        return next + 1;
    }

    private void tell(Connection connection, List<DeliveryId> deliveries, String outcome, Intervention by)
            throws SQLException {
        try (PreparedStatement tell = connection.prepareStatement(TELL)) {
            tell.setString(1, outcome);
            tell.setString(2, host);
            tell.setString(3, by.actor());
            tell.setString(4, by.reason());
            tell.setObject(5, by.replayId());
            tell.setString(SqlArrays.bindIds(tell, 6, deliveries, id -> id), handler);
            tell.executeUpdate();
        }
    }

    boolean discard(Connection connection, DeadAttempt letter, Intervention by) throws SQLException {
        Requeued now = judge(connection, List.of(letter)).get(0);
        if (now != Requeued.REQUEUED && now != Requeued.QUARANTINED) {
            return false;
        }
        List<DeliveryId> one = List.of(letter.id());
        tell(connection, one, "discarded", by);
        try (PreparedStatement update = connection.prepareStatement(DISCARD)) {
            update.setString(SqlArrays.bindIds(update, 1, one, id -> id), handler);
            update.executeUpdate();
        }
        keys.giveBack(connection, one);
        completions.forget(connection, one);
        return true;
    }
}

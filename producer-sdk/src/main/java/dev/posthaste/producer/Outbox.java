package dev.posthaste.producer;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.OutboxMessage;
import dev.posthaste.schemas.catalog.Catalog;

/**
 * Stages messages: each becomes a row of {@code outbox.message} in the caller's transaction, on the caller's
 * connection. A rollback leaves none, a commit always all. It never commits, rolls back or closes anything.
 *
 * <p>Immutable and thread-safe; one per service is enough. What a message lacks is filled in: {@code id} with a UUIDv7
 * that is greater than every one made before in this process, {@code occurredAt} with the present, {@code traceparent}
 * (and {@code tracestate}) from OpenTelemetry's current span where that API is on the class path and a span is current,
 * else with a new random trace.
 */
public final class Outbox {

    private final @Nullable CatalogCheck check;
    private final Completion completion;

    private Outbox(@Nullable CatalogCheck check, Completion completion) {
        this.check = check;
        this.completion = completion;
    }

    /** Makes one that knows no catalog: every type is taken, and the relay judges it. */
    public static Outbox create() {
        return new Outbox(null, Completion.ofThisProcess());
    }

    /**
     * Makes one that refuses what the catalog does not have: an unknown type, a version without a record, another kind
     * than the record's, a type that is excluded from the outbox.
     */
    public static Outbox create(Catalog catalog) {
        return new Outbox(new CatalogCheck(catalog), Completion.ofThisProcess());
    }

    /** The same with another clock and another source of ids and traces: for tests that must know both beforehand. */
    public Outbox with(Clock clock, RandomGenerator random) {
        return new Outbox(check, Completion.of(clock, random));
    }

    /**
     * Stages one message.
     *
     * @param connection with an open transaction; left as it is
     * @return the message's id
     * @throws IllegalStateException if the connection is in auto-commit mode or read-only; nothing was written
     * @throws IllegalArgumentException if the headers are too large or the catalog has no such message; nothing was
     *     written
     * @throws SQLException as the driver throws it; for a row against a constraint its message names the constraint
     */
    public UUID stage(Connection connection, OutboxMessage message) throws SQLException {
        return stageAll(connection, List.of(message)).get(0);
    }

    /**
     * Stages messages in the order given, in JDBC batches. All are checked before the first is written.
     *
     * @param connection with an open transaction; left as it is
     * @return their ids, in the same order; empty for no messages
     * @throws IllegalStateException as {@link #stage} does
     * @throws IllegalArgumentException as {@link #stage} does
     * @throws SQLException as {@link #stage} does; some of the rows may stand in the transaction then: roll it back
     */
    public List<UUID> stageAll(Connection connection, List<OutboxMessage> messages) throws SQLException {
        Transactions.requireWritable(connection, "Outbox.stage");
        if (check != null) {
            messages.forEach(check::accept);
        }
        List<OutboxRow> rows = messages.stream().map(completion::complete).toList();
        OutboxInsert.into(connection, rows);
        return rows.stream().map(OutboxRow::id).toList();
    }
}

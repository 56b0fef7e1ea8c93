package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

import org.apache.kafka.common.TopicPartition;

import dev.posthaste.consumer.Transaction;

/**
 * Claim, effect and completion in one database transaction: the completed rows are there if and only if the effects
 * are. Thread-safe.
 */
final class DeliveryTransaction {

    private final DataSource dataSource;
    private final Inbox inbox;
    private final int contentionRetriesMax;
    private final DeliveryMeters meters;
    private final BooleanSupplier abandoned;

    /**
     * Makes one.
     *
     * @param abandoned whether the time of a drain is over: then nothing new is begun, and what fails fails for that
     */
    DeliveryTransaction(
            DataSource dataSource,
            Inbox inbox,
            int contentionRetriesMax,
            DeliveryMeters meters,
            BooleanSupplier abandoned) {
        this.dataSource = dataSource;
        this.inbox = inbox;
        this.contentionRetriesMax = contentionRetriesMax;
        this.meters = meters;
        this.abandoned = abandoned;
    }

    /** How it ended. */
    sealed interface Attempt {}

    /** Committed. */
    record Committed() implements Attempt {}

    /**
     * Nothing was committed, or it is not known: the database is away, or another member works on the same messages.
     */
    record StoreAway(Throwable cause) implements Attempt {}

    /** Nothing was committed: the handler was interrupted at the end of a drain. */
    record Abandoned() implements Attempt {}

    /** Nothing was committed; with several deliveries the one named need not be the guilty one. */
    record HandlerFailed(Delivery<?> delivery, Throwable cause) implements Attempt {}

    /** Deadlock, serialization failure or lock time-out; what it counts as when it does not pass. */
    private record Contended(Attempt inTheEnd) implements Attempt {}

    /** Runs deliveries in order, those not completed before; contention is tried again here, to a bound. */
    Attempt run(TopicPartition partition, List<Delivery<?>> deliveries) {
        Attempt attempt = runOnce(partition, deliveries);
        for (int i = 0; i < contentionRetriesMax && attempt instanceof Contended; i++) {
            meters.contended();
            attempt = runOnce(partition, deliveries);
        }
        return attempt instanceof Contended contended ? contended.inTheEnd() : attempt;
    }

    private Attempt runOnce(TopicPartition partition, List<Delivery<?>> deliveries) {
        if (abandoned.getAsBoolean()) {
            return new Abandoned();
        }
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            Attempt attempt = runOn(connection, partition, deliveries);
            if (!(attempt instanceof StoreAway)) {
                connection.setAutoCommit(autoCommit);
            }
            return attempt;
        } catch (SQLException | RuntimeException e) {
            return new StoreAway(e);
        }
    }

    private Attempt runOn(Connection connection, TopicPartition partition, List<Delivery<?>> deliveries) {
        Inbox.Claim claim;
        try {
            inbox.limitLocks(connection);
            claim = inbox.claim(connection, partition, deliveries);
        } catch (SQLException e) {
            // Not the message's fault: the connection, the table, or another member that holds the same messages.
            SqlErrors.rollback(connection, e);
            return judged(e, new StoreAway(e));
        }
        Delivery<?> current = deliveries.get(0);
        GuardedConnection guard = new GuardedConnection(connection);
        Transaction tx = guard::connection;
        try {
            for (Delivery<?> delivery : deliveries) {
                if (claim.offsets().contains(delivery.offset())) {
                    current = delivery;
                    handle(delivery, tx);
                }
            }
            guard.end();
            if (!claim.offsets().isEmpty()) {
                inbox.requireSameTransaction(connection, claim);
            }
            connection.commit();
        } catch (Throwable e) { // whatever a handler throws: an Error of its own must not end the lane
            guard.end();
            boolean connected = SqlErrors.rollback(connection, e);
            if (abandoned.getAsBoolean()) {
                return new Abandoned();
            }
            return connected ? judged(e, new HandlerFailed(current, e)) : new StoreAway(e);
        }
        meters.committed(
                claim.offsets().size(), deliveries.size() - claim.offsets().size());
        return new Committed();
    }

    private static Attempt judged(Throwable error, Attempt otherwise) {
        return SqlErrors.isContention(error) ? new Contended(otherwise) : otherwise;
    }

    private void handle(Delivery<?> delivery, Transaction tx) throws Exception {
        long began = System.nanoTime();
        try {
            delivery.run(tx);
        } finally {
            meters.took(System.nanoTime() - began);
        }
    }
}

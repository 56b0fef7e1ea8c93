package dev.posthaste.chaos.collect;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

import org.apache.kafka.common.KafkaException;

/**
 * Tells whether nothing is left to do: all writers have stopped, every message is published, every group has finished
 * every record, and every delivery has ended. What the relay has set aside is not waited for. Whether the right things
 * were done is the checker's to say. Used by one thread.
 */
public final class Drain {

    private static final long LOOK_MILLIS = 500;
    private static final int BOUNDS_MAX = 4;

    private final RunSources sources;
    private final BooleanSupplier writersStopped;

    /** Looks there; of the writers it is told by whoever stops them. */
    public Drain(RunSources sources, BooleanSupplier writersStopped) {
        this.sources = sources;
        this.writersStopped = writersStopped;
    }

    /**
     * Waits until nothing is left to do, as long as it becomes less.
     *
     * @param bound how long it may stay the same; the whole takes four times as long at most
     * @return what is left after that time; empty: nothing
     */
    public Optional<String> await(Duration bound) throws InterruptedException {
        return await(bound, true);
    }

    /** The same of what is on topics, whatever waits in the outbox. */
    public Optional<String> awaitHandlers(Duration bound) throws InterruptedException {
        return await(bound, false);
    }

    private Optional<String> await(Duration bound, boolean outbox) throws InterruptedException {
        long began = System.nanoTime();
        long changed = began;
        Optional<String> before = Optional.empty();
        while (true) {
            Optional<String> left = left(outbox);
            long now = System.nanoTime();
            if (!left.equals(before)) {
                changed = now;
                before = left;
            }
            if (left.isEmpty() || now - changed > bound.toNanos() || now - began > BOUNDS_MAX * bound.toNanos()) {
                return left;
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /** What is left to do now, in the order in which it is done; also that somebody cannot be asked. Empty: nothing. */
    public Optional<String> left() throws InterruptedException {
        return left(true);
    }

    private Optional<String> left(boolean outbox) throws InterruptedException {
        if (!writersStopped.getAsBoolean()) {
            return Optional.of("writers are at work");
        }
        try {
            long pending = outbox ? number(sources.outbox(), "SELECT messages FROM outbox.pending_summary()") : 0;
            if (pending > 0) {
                return Optional.of(pending + " messages are pending in the outbox");
            }
            List<String> left = new ArrayList<>();
            try (GroupLag lag = new GroupLag(sources.bootstrapServers())) {
                for (String handler : sources.handlers()) {
                    left.addAll(leftTo(handler, lag));
                }
            }
            return left.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", left));
        } catch (SQLException | ExecutionException | KafkaException | IllegalStateException e) {
            return Optional.of("it cannot be told: " + e.getMessage());
        }
    }

    private List<String> leftTo(String handler, GroupLag lag)
            throws SQLException, InterruptedException, ExecutionException {
        List<String> left = new ArrayList<>();
        for (String topic :
                List.of(sources.namespace().topic(handler), sources.namespace().retryTopic(handler))) {
            say(left, lag.records(topic, topic), "records of " + topic + " are not finished");
        }
        say(
                left,
                number(
                        sources.inbox(),
                        "SELECT count(*) FROM inbox.delivery WHERE handler = ?"
                                + " AND state NOT IN ('completed', 'dead-letter', 'discarded')",
                        handler),
                "deliveries of " + handler + " have not ended");
        say(
                left,
                number(
                        sources.inbox(),
                        "SELECT count(*) FROM inbox.outgoing WHERE handler = ? AND emit_at IS NOT NULL",
                        handler),
                "records of " + handler + " are to be emitted");
        return left;
    }

    private static void say(List<String> left, long count, String what) {
        if (count > 0) {
            left.add(count + " " + what);
        }
    }

    private static long number(DataSource database, String sql, String... parameters) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}

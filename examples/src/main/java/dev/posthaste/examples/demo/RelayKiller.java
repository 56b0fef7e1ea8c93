package dev.posthaste.examples.demo;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * Kills the relay mid-stream, and proves that it was: of the messages that waited just before the SIGKILL, some are on
 * no topic after the process is gone. A kill that found nothing unpublished does not count. Used by one thread.
 */
final class RelayKiller {

    private final DemoStack stack;
    private final Connection outbox;
    private long batchesBeforeStart;

    RelayKiller(DemoStack stack, Connection outbox) {
        this.stack = stack;
        this.outbox = outbox;
    }

    /**
     * A kill.
     *
     * @param committed messages committed just before it
     * @param unpublished how many of them were on no topic once the process was gone
     */
    record Kill(long committed, long unpublished) {}

    /** Takes note that a relay has just been started: it is mid-stream once it has published something. */
    void relayStarted() throws SQLException {
        batchesBeforeStart = batches();
    }

    private long batches() throws SQLException {
        return Check.number(outbox, "SELECT coalesce(max(batch), 0) FROM outbox.dispatch_batch");
    }

    /**
     * Kills the process if it has published and something waits just now; returns what it left unpublished, or null if
     * it was not mid-stream.
     */
    @Nullable
    Kill killIfMidStream(Child relay) throws SQLException, InterruptedException {
        Set<UUID> waiting = pending();
        if (waiting.isEmpty() || batches() == batchesBeforeStart) {
            return null;
        }
        long committed = Check.number(outbox, "SELECT count(*) FROM outbox.message");
        relay.kill();
        TopicContent.read(stack.kafka(), DemoStack.NAMESPACE + ".due-notice")
                .forEach(seen -> waiting.remove(seen.id()));
        return new Kill(committed, waiting.size());
    }

    private Set<UUID> pending() throws SQLException {
        try (Statement statement = outbox.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id FROM outbox.pending() LIMIT 10000")) {
            Set<UUID> ids = new HashSet<>();
            while (rows.next()) {
                ids.add(rows.getObject(1, UUID.class));
            }
            return ids;
        }
    }
}

package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.StopReason;
import dev.posthaste.consumer.StoppedPartition;
import dev.posthaste.consumer.inbox.HandlerNamespaces;

/**
 * Whether a handler's rows of the inbox are ours. They are keyed by its name alone: two of one name in different
 * namespaces would emit each other's records. So the inbox remembers the namespace that came first, and a consumer of
 * another does nothing with the handler but say so. Asked until it is, and then no more. Thread-safe.
 */
public final class Ownership {

    private static final Logger LOG = LoggerFactory.getLogger(Ownership.class);
    private static final long ASK_AGAIN_NANOS = Duration.ofSeconds(5).toNanos();

    private final String handler;
    private final String namespace;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private boolean ours;
    private long askedAt;
    private @Nullable StoppedPartition refused;

    /** Makes one that has not asked yet. */
    public Ownership(String handler, String namespace, Clock clock, LongSupplier nanoTime) {
        this.handler = handler;
        this.namespace = namespace;
        this.clock = clock;
        this.nanoTime = nanoTime;
    }

    /** The handler. */
    public String handler() {
        return handler;
    }

    /** Whether they are ours; takes them if they are nobody's. On a connection in auto-commit. */
    public synchronized boolean isOurs(Connection connection) throws SQLException {
        long now = nanoTime.getAsLong();
        if (ours || (refused != null && now - askedAt < ASK_AGAIN_NANOS)) {
            return ours;
        }
        String owner = HandlerNamespaces.claim(connection, handler, namespace);
        ours = owner.equals(namespace);
        askedAt = now;
        tell(owner);
        return ours;
    }

    private void tell(String owner) {
        if (ours) {
            refused = null;
            return;
        }
        if (refused == null) {
            refused = new StoppedPartition(
                    handler,
                    namespace + "." + handler,
                    StoppedPartition.ALL,
                    -1,
                    null,
                    StopReason.ANOTHER_NAMESPACE,
                    null,
                    "this inbox belongs to the handler " + handler + " of namespace " + owner
                            + ", and this consumer is of"
                            + " namespace " + namespace + ": each would emit the other's records; give one of them a"
                            + " name or a database of its own. If the namespace was renamed, change the handler's row"
                            + " in inbox.handler",
                    clock.instant());
            LOG.error("handler {} does not run: {}", handler, refused.summary());
        }
    }

    /** Why it does nothing, where that is so. */
    synchronized Optional<StoppedPartition> refused() {
        return Optional.ofNullable(refused);
    }
}

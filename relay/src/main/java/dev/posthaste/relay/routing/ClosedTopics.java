package dev.posthaste.relay.routing;

import org.jspecify.annotations.Nullable;

/** The topics that nothing can be published to for now, by what the broker says. Thread-safe. */
@FunctionalInterface
public interface ClosedTopics {

    /** All are open. */
    ClosedTopics NONE = topic -> null;

    /** Why nothing can be published to it; null: it is open. */
    Unpublishable.@Nullable Cause why(String topic);
}

package dev.posthaste.relay.routing;

import java.util.List;
import java.util.UUID;

/** A message that cannot be published as it is to any of its handlers. */
public final class UnroutableException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient List<Unpublishable> faults;

    UnroutableException(UUID messageId, List<String> handlers, Unpublishable.Cause cause, String error) {
        super("message " + messageId + " cannot be published: " + error);
        this.faults = handlers.stream()
                .map(handler -> new Unpublishable(messageId, handler, cause, error))
                .toList();
    }

    /** One for each handler; at least one. */
    public List<Unpublishable> faults() {
        return faults;
    }
}

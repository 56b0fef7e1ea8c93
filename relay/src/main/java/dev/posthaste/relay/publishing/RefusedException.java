package dev.posthaste.relay.publishing;

import java.util.UUID;

import dev.posthaste.relay.routing.Unpublishable;

/**
 * Kafka refuses a record of a batch for what it is. Nothing of the batch was published; without that record it may be,
 * or the next is refused.
 */
public final class RefusedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Refused refused;

    RefusedException(Refused refused) {
        super("message " + refused.messageId() + " is refused by topic " + refused.topic() + ": " + refused.error());
        this.refused = refused;
    }

    /**
     * A refused record.
     *
     * @param tooLarge whether for its size
     * @param error what Kafka says
     */
    public record Refused(UUID messageId, String topic, boolean tooLarge, String error) {

        /** What kind of fault that is. */
        public Unpublishable.Cause cause() {
            return tooLarge ? Unpublishable.Cause.TOO_LARGE : Unpublishable.Cause.REFUSED;
        }
    }

    /** Which. */
    public Refused refused() {
        return refused;
    }
}

package dev.posthaste.relay.publishing;

import java.util.List;
import java.util.UUID;

import dev.posthaste.relay.routing.Unpublishable;

/**
 * Kafka refuses single records of a batch for what they are. Nothing of the batch was published; without them it may
 * be.
 */
public final class RefusedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient List<Refused> refused;

    RefusedException(List<Refused> refused) {
        super(refused.size() + " records are refused");
        this.refused = List.copyOf(refused);
    }

    /**
     * One refused record.
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

    /** Which; at least one. */
    public List<Refused> refused() {
        return refused;
    }
}

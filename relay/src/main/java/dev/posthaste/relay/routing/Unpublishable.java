package dev.posthaste.relay.routing;

import java.util.UUID;

/**
 * Why a message is not published to a handler, by no fault of a store.
 *
 * @param messageId the message
 * @param handler the handler; {@link #EVERY_HANDLER} where none is known
 * @param cause what kind of fault
 * @param error what is wrong, without payload or header values
 */
public record Unpublishable(UUID messageId, String handler, Cause cause, String error) {

    /** Stands for all handlers of a type that is not known. */
    public static final String EVERY_HANDLER = "*";

    /** What kind of fault. */
    public enum Cause {
        /** The type is not in the catalog. */
        UNKNOWN_TYPE(true),
        /** The type is, its version is not. */
        UNKNOWN_VERSION(true),
        /** The message's kind is not the catalog's. */
        WRONG_KIND(false),
        /** The headers are no JSON object of strings, or use reserved names. */
        UNREADABLE_HEADERS(false),
        /** A column is null that must not be: somebody took the table's rule off. */
        MISSING_VALUE(false),
        /** The record is larger than the handler's topic takes. */
        TOO_LARGE(true),
        /** Kafka refuses the record for another reason of its own. */
        REFUSED(false),
        /** The handler's topic does not exist. */
        TOPIC_MISSING(true),
        /** The relay may not write to the handler's topic, or may not even see it. */
        TOPIC_FORBIDDEN(true);

        private final boolean passing;

        Cause(boolean passing) {
            this.passing = passing;
        }

        /** Whether it may pass without the message being changed: then it is tried again by itself, to a bound. */
        public boolean mayPass() {
            return passing;
        }
    }
}

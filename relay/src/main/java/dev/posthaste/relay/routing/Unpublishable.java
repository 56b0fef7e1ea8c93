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
        UNKNOWN_TYPE,
        /** The type is, its version is not. */
        UNKNOWN_VERSION,
        /** The message's kind is not the catalog's. */
        WRONG_KIND,
        /** The headers are no JSON object of strings, or use reserved names. */
        UNREADABLE_HEADERS,
        /** A column is null that must not be: somebody took the table's rule off. */
        MISSING_VALUE,
        /** The record is larger than the handler's topic takes. */
        TOO_LARGE,
        /** Kafka refuses the record for another reason of its own. */
        REFUSED
    }
}

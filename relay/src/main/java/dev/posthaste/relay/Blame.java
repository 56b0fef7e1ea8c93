package dev.posthaste.relay;

import java.io.IOException;
import java.sql.SQLException;

import org.apache.kafka.common.KafkaException;

/** Whose failure it is when a term ends: that of a store which is away or refuses, or the relay's own. */
enum Blame {
    /** The broker did not answer, or refused. */
    KAFKA,
    /** The database did not answer, or refused. */
    POSTGRESQL,
    /** Neither store's: something that should not be. */
    RELAY;

    static Blame of(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof KafkaException && !cause.getClass().getName().contains(".connect.")) {
                return KAFKA;
            }
            if (cause instanceof SQLException || cause instanceof IOException) { // the engine shows either
                return POSTGRESQL;
            }
        }
        return RELAY;
    }

    /** The failure in a line. */
    String says(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        String message = String.valueOf(root.getMessage()).replaceAll("\\s+", " "); // PostgreSQL's have several
        return this + " failed: " + root.getClass().getSimpleName() + ": " + message;
    }
}

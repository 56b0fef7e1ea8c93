package dev.posthaste.consumer.internal;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.Event;

/**
 * One version of a type, how it is read and what is done with it.
 *
 * @param type the type
 * @param schemaVersion its version, from 1
 * @param reader reads its payload
 * @param work what is done with it
 * @param businessKey makes the key under which it has its effect once; null: its message id is that
 */
public record Route<T>(
        String type,
        int schemaVersion,
        Reader<? extends T> reader,
        Work<T> work,
        @Nullable Function<Event<T>, String> businessKey) {

    /** Checks the version. */
    public Route {
        if (schemaVersion < 1) {
            throw new IllegalArgumentException(
                    "on(\"" + type + "\", " + schemaVersion + ", ...): versions begin with 1");
        }
    }

    /** Type and version as people write them. */
    public String label() {
        return type + " v" + schemaVersion;
    }
}

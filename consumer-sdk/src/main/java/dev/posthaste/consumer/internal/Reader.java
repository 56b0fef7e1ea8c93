package dev.posthaste.consumer.internal;

import java.util.Locale;
import java.util.function.Function;

import com.fasterxml.jackson.databind.ObjectMapper;

import dev.posthaste.consumer.PayloadReader;

/** Reads a record's value into a payload. Thread-safe. */
@FunctionalInterface
public interface Reader<T> {

    /** Reads it; throws what the payload's own reader throws. */
    T read(byte[] value, String contentType, ObjectMapper json) throws Exception;

    /** Reads JSON into a class. */
    static <T> Reader<T> json(Class<T> payload) {
        return (value, contentType, json) -> {
            if (!isJson(contentType)) {
                throw new IllegalArgumentException("its content type is " + contentType
                        + ", not JSON; give on(...) a PayloadReader in place of a class");
            }
            T read = json.readValue(value, payload);
            if (read == null) {
                throw new IllegalArgumentException(
                        "its payload is null, where a " + payload.getSimpleName() + " is due");
            }
            return read;
        };
    }

    /** Reads with the user's reader. */
    static <T> Reader<T> of(PayloadReader<T> reader) {
        return (value, contentType, json) -> reader.read(value);
    }

    /** Reads, then lifts. */
    default <U> Reader<U> map(Function<? super T, ? extends U> upcast) {
        return (value, contentType, json) -> upcast.apply(read(value, contentType, json));
    }

    private static boolean isJson(String contentType) {
        String media = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return media.equals("application/json") || media.endsWith("+json");
    }
}

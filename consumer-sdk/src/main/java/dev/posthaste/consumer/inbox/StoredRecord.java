package dev.posthaste.consumer.inbox;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A record as it came: what is kept while a delivery waits, and what is emitted. Its parts are not copied; nobody
 * changes them.
 *
 * @param key null for none
 * @param value null for none
 * @param headers in order
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody; a copy of every payload would cost
public record StoredRecord(byte @Nullable [] key, byte @Nullable [] value, List<Header> headers) {

    /**
     * One header.
     *
     * @param value null for none
     */
    public record Header(String name, byte @Nullable [] value) {}

    /** Copies the list. */
    public StoredRecord {
        headers = List.copyOf(headers);
    }

    /** Tells sizes only: a payload is nobody's business in a log. */
    @Override
    public String toString() {
        return "StoredRecord[" + (value == null ? "no value" : value.length + " bytes") + ", " + headers.size()
                + " headers]";
    }
}

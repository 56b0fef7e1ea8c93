package dev.posthaste.schemas;

import java.nio.charset.StandardCharsets;

/**
 * What a message carries: JSON text or bytes, exactly one of them. Payloads are secret: {@code toString} tells their
 * size only. Immutable as long as nobody changes the array given to {@link Bytes}.
 */
public sealed interface Payload {

    /** The bytes as they will reach the consumer, unchanged. Not a copy. */
    byte[] bytes();

    /** JSON as the service wrote it; its spelling is kept byte for byte. */
    record Json(String text) implements Payload {
        @Override
        public byte[] bytes() {
            return text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String toString() {
            return "Json[" + text.length() + " characters]";
        }
    }

    /** Anything else: Avro, Protobuf, an encrypted document. */
    @SuppressWarnings("ArrayRecordComponent") // equality of payloads is asked of nobody
    record Bytes(byte[] bytes) implements Payload {
        @Override
        public String toString() {
            return "Bytes[" + bytes.length + " bytes]";
        }
    }
}

package dev.posthaste.consumer;

/**
 * Reads payloads that are not JSON: Avro, Protobuf, an encrypted document. Thread-safe.
 *
 * @param <T> what it reads them into
 */
@FunctionalInterface
public interface PayloadReader<T> {

    /**
     * Reads one payload.
     *
     * @param payload the bytes as they were staged; not to be changed
     * @throws Exception if they cannot be read: the message is a dead letter at once, byte for byte
     */
    T read(byte[] payload) throws Exception;
}

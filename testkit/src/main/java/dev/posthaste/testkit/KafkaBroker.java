package dev.posthaste.testkit;

/** One running Kafka broker, without authentication. Implementations are thread-safe. */
public interface KafkaBroker extends AutoCloseable {

    /** What clients give as {@code bootstrap.servers}: {@code host:port}. */
    String bootstrapServers();

    /** Ends the broker and deletes its temporary data. A second call does nothing. */
    @Override
    void close();
}

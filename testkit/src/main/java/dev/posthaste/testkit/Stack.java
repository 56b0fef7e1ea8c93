package dev.posthaste.testkit;

/**
 * A real PostgreSQL and a real Kafka broker, running until closed.
 *
 * <p>Thread-safe. A stack that is not closed is closed when the JVM ends; what a killed JVM leaves behind is removed by
 * the next start.
 */
public interface Stack extends AutoCloseable {

    /** The database server; closed with the stack. */
    PostgresServer postgres();

    /** The broker; closed with the stack. */
    KafkaBroker kafka();

    /** Ends both servers and deletes their temporary data. A second call does nothing. */
    @Override
    void close();

    /**
     * Starts both servers with {@link StackSettings#defaults()}.
     *
     * @throws TestkitException when one does not start; the other is ended
     */
    static Stack start() {
        return start(StackSettings.defaults());
    }

    /**
     * Starts both servers, side by side, and waits until they answer.
     *
     * @throws TestkitException when one does not start (the other is ended), or when containers are asked for and no
     *     Docker engine answers
     */
    static Stack start(StackSettings settings) {
        boolean containers =
                switch (settings.kind()) {
                    case EMBEDDED -> false;
                    case AUTO -> Docker.isAvailable();
                    case CONTAINERS -> {
                        Docker.require();
                        yield true;
                    }
                };
        return containers
                ? RunningStack.start(
                        () -> ContainerPostgres.launch(settings.postgres()),
                        () -> ContainerKafka.launch(settings.kafka()))
                : RunningStack.start(
                        () -> EmbeddedPostgres.launch(settings.postgres()),
                        () -> EmbeddedKafka.launch(settings.kafka()));
    }
}

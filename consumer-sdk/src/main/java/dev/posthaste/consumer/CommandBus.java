package dev.posthaste.consumer;

/**
 * Carries journey-step commands to the service's own code, each in a fresh scope (provision S1 53): a port for the
 * mediator or the container that the service has. Thread-safe.
 *
 * <pre>{@code
 * handler("issue-card").on("library.issue-card", 1, IssueCard.class).through(bus)
 * }</pre>
 */
public interface CommandBus {

    /**
     * Opens the scope of one delivery. No other delivery gets it, nor another attempt at this one.
     *
     * @throws Exception anything: the attempt has failed
     */
    Scope open() throws Exception;

    /** What lives as long as one delivery. Used by one thread. */
    interface Scope extends AutoCloseable {

        /**
         * Has the command's one handler bring its effect about, on the transaction given; called once.
         *
         * @throws Exception anything: the transaction is rolled back and the attempt has failed
         */
        Outcome send(Event<?> command, Transaction tx) throws Exception;

        /**
         * Ends the scope, whatever came of the command, before the transaction ends.
         *
         * @throws Exception anything: as if {@link #send} had thrown it
         */
        @Override
        void close() throws Exception;
    }
}

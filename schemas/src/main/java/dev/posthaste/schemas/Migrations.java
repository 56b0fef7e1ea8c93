package dev.posthaste.schemas;

/**
 * Where the numbered SQL migrations are, as class-path folders. They are plain SQL: give the folder to Flyway as a
 * location, or run the files in order with any client.
 */
public final class Migrations {

    /** The outbox, its evidence and the relay's lease: for the database of the service that stages messages. */
    public static final String OUTBOX = "dev/posthaste/outbox/migration";

    /** The inbox: for the database of the service that handles messages. */
    public static final String INBOX = "dev/posthaste/inbox/migration";

    private Migrations() {}
}

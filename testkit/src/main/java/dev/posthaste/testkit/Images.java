package dev.posthaste.testkit;

/** The container images of the testkit, here and nowhere else. */
public final class Images {

    /** PostgreSQL. */
    public static final String POSTGRES = "postgres:18";

    /** Kafka, broker and controller in one. */
    public static final String KAFKA = "apache/kafka:4.3.1";

    private Images() {}
}

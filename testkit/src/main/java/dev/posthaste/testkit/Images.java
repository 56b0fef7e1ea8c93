package dev.posthaste.testkit;

/** The container images of the testkit, here and nowhere else. */
final class Images {
    static final String POSTGRES = "postgres:18";
    static final String KAFKA = "apache/kafka:4.3.1";

    private Images() {}
}

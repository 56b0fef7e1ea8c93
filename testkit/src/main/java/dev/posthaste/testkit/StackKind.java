package dev.posthaste.testkit;

import java.util.Arrays;
import java.util.Locale;

/** Where the servers of a {@link Stack} run. */
public enum StackKind {
    /** In containers where a Docker engine answers, embedded where none does. */
    AUTO,
    /** PostgreSQL as a child process, the broker inside this JVM. */
    EMBEDDED,
    /** Both in containers; an error where no Docker engine answers. */
    CONTAINERS;

    /** The system property that {@link #fromSystemProperty()} reads: {@value}. */
    public static final String PROPERTY = "posthaste.testkit";

    /**
     * The kind named by the system property {@value #PROPERTY} ({@code auto}, {@code embedded} or {@code containers}),
     * {@link #AUTO} where it is not set.
     *
     * @throws IllegalArgumentException for any other value
     */
    public static StackKind fromSystemProperty() {
        return parse(System.getProperty(PROPERTY, "auto"));
    }

    static StackKind parse(String name) {
        return Arrays.stream(values())
                .filter(kind -> kind.name().equals(name.toUpperCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("System property " + PROPERTY + " is '" + name
                        + "': give auto, embedded or containers (default: auto)."));
    }
}

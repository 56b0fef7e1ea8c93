package dev.posthaste.schemas;

import java.util.Arrays;
import java.util.stream.Collectors;

/** What a message is, which picks its default delivery mode (provision S1 10). */
public enum MessageKind {
    /** A published fact that names its catalog record with direction, payload and trust. */
    INTEGRATION_EVENT("integration-event"),
    /** A command that advances a journey step; it has exactly one handler. */
    JOURNEY_STEP_COMMAND("journey-step-command"),
    /** A call to an outside provider. */
    PROVIDER_SIDE_EFFECT("provider-side-effect");

    private final String wireName;

    MessageKind(String wireName) {
        this.wireName = wireName;
    }

    /** The name in the table, in headers and in the catalog. */
    public String wireName() {
        return wireName;
    }

    /**
     * The kind of that name.
     *
     * @throws IllegalArgumentException if there is none; the message lists the known kinds
     */
    public static MessageKind ofWireName(String wireName) {
        for (MessageKind kind : values()) {
            if (kind.wireName.equals(wireName)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("kind is \"" + wireName + "\", but must be one of "
                + Arrays.stream(values()).map(MessageKind::wireName).collect(Collectors.joining(", ")));
    }
}

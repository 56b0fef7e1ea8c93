package dev.posthaste.schemas;

import java.util.regex.Pattern;

/**
 * The first part of every topic name of one outbox, for example {@code library}. Immutable and thread-safe.
 *
 * @param name lower-case letters, digits and hyphens, dots between parts; at most 60 characters
 */
public record Namespace(String name) {

    private static final Pattern NAME = Pattern.compile("[a-z0-9-]+(\\.[a-z0-9-]+)*");
    private static final int CHARACTERS_MAX = 60;

    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException naming the value and the rule
     */
    public Namespace {
        if (name.length() > CHARACTERS_MAX || !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("namespace is \"" + name + "\", but must match " + NAME.pattern()
                    + " and have at most " + CHARACTERS_MAX + " characters");
        }
    }

    /** The topic that carries a handler's copy of its messages. */
    public String topic(String handler) {
        return name + "." + handler;
    }

    /** The topic that carries what is due for another attempt. */
    public String retryTopic(String handler) {
        return topic(handler) + ".retry";
    }

    /** The dead-letter topic of a handler. */
    public String deadLetterTopic(String handler) {
        return topic(handler) + ".dlt";
    }

    /** The handler of a topic that {@link #topic} named. */
    public String handlerOf(String topic) {
        return topic.substring(name.length() + 1);
    }

    /** The compacted topic of the relay's position records. */
    public String positionTopic() {
        return name + ".relay.position";
    }

    /** The topic on which consumers tell failures, dead letters, replays and what they read. */
    public String outcomesTopic() {
        return name + ".outcomes";
    }

    @Override
    public String toString() {
        return name;
    }
}

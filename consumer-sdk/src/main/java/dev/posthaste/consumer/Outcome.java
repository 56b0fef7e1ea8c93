package dev.posthaste.consumer;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

/** What a handler that decides says of a message, in place of returning or throwing. Immutable. */
public sealed interface Outcome {

    /** The effect is there. */
    static Outcome done() {
        return new Done();
    }

    /**
     * Not now: whatever was written is rolled back, and another attempt follows after the delay, if the policy has one
     * left.
     *
     * @param delay at least 1 ms; the policy's own delay is not asked
     */
    static Outcome retryAfter(Duration delay) {
        return new RetryAfter(delay);
    }

    /**
     * Never: whatever was written is rolled back, and the message is a dead letter at once, with code and detail in
     * {@code inbox.delivery}, {@code inbox.journal} and the headers of its record on the dead-letter topic.
     *
     * @param code the cause in one word: lower-case letters, digits and hyphens, at most 60
     * @param detail for the operator; nothing of the payload belongs in it
     */
    static Outcome dead(String code, String detail) {
        return new Dead(code, detail);
    }

    /** See {@link #done()}. */
    record Done() implements Outcome {}

    /** See {@link #retryAfter(Duration)}. */
    record RetryAfter(Duration delay) implements Outcome {
        /** Checks the delay. */
        public RetryAfter {
            if (delay.toMillis() < 1) {
                throw new IllegalArgumentException("retryAfter(" + delay + "): the delay must be at least 1 ms");
            }
        }
    }

    /** See {@link #dead(String, String)}. */
    record Dead(String code, String detail) implements Outcome {
        private static final Pattern CODE = Pattern.compile("[a-z0-9-]{1,60}");

        /** Checks the code, and that there is a detail. */
        public Dead {
            Objects.requireNonNull(detail, () -> "dead(\"" + code + "\", null): say why, or \"\"");
            if (!CODE.matcher(code).matches()) {
                throw new IllegalArgumentException(
                        "dead(\"" + code + "\", ...): the code must match " + CODE.pattern());
            }
        }
    }
}

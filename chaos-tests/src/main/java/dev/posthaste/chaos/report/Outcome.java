package dev.posthaste.chaos.report;

import java.util.Locale;

/** How a scenario ended. */
public enum Outcome {
    /** It ran, and nothing was found. */
    PASSED,
    /** It ran, and something was found. */
    FAILED,
    /** It did not run, so that it says nothing. */
    NOT_RUN;

    String words() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    Tone tone() {
        return switch (this) {
            case PASSED -> Tone.GOOD;
            case FAILED -> Tone.BAD;
            case NOT_RUN -> Tone.MUTED;
        };
    }
}

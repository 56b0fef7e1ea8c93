package dev.posthaste.chaos.report;

import org.jspecify.annotations.Nullable;

/**
 * A piece of text, not yet escaped.
 *
 * @param anchor of the section it leads to, where the format has such; null for none
 */
record Text(String text, Tone tone, @Nullable String anchor) {

    static Text of(String text) {
        return new Text(text, Tone.PLAIN, null);
    }

    static Text of(String text, Tone tone) {
        return new Text(text, tone, null);
    }
}

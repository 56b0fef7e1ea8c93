package dev.posthaste.chaos.report;

import java.util.Locale;

/** How a piece of text is to strike the reader, where the format has the means. */
enum Tone {
    PLAIN,
    GOOD,
    BAD,
    MUTED;

    String cssClass() {
        return name().toLowerCase(Locale.ROOT);
    }
}

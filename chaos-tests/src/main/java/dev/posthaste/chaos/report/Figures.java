package dev.posthaste.chaos.report;

import java.time.Duration;
import java.util.Locale;

/** Numbers as the report writes them. */
final class Figures {

    private static final long SECOND_MILLIS = 1000;
    private static final long LONG_MILLIS = 120 * SECOND_MILLIS;

    private Figures() {}

    static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** A count and its noun, in the plural where it is one. */
    static String count(long count, String noun) {
        return count(count) + " " + noun + (count == 1 ? "" : "s");
    }

    static String duration(Duration duration) {
        return duration(duration.toMillis());
    }

    static String duration(long millis) {
        if (millis < SECOND_MILLIS) {
            return millis + " ms";
        }
        if (millis < LONG_MILLIS) {
            return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
        }
        long seconds = Math.round(millis / 1000.0);
        return count(seconds / 60) + " min " + seconds % 60 + " s";
    }

    /** A place in the run. */
    static String offset(long millis) {
        return String.format(Locale.ROOT, "+%.1f s", millis / 1000.0);
    }

    /** For the ends of an axis, where there is little room. */
    static String brief(double value) {
        if (value >= 1_000_000) {
            return plain(value / 1_000_000) + "M";
        }
        return value >= 10_000 ? plain(value / 1000) + "k" : plain(value);
    }

    /** With one decimal where it needs one. */
    static String plain(double value) {
        String text = String.format(Locale.ROOT, "%.1f", value);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }
}

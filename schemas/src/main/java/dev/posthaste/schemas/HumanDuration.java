package dev.posthaste.schemas;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as people write them in YAML: a whole number and a unit, {@code ms}, {@code s}, {@code m}, {@code h} or
 * {@code d}.
 */
public final class HumanDuration {

    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

    private static final long MILLIS_PER_SECOND = 1_000;
    private static final long MILLIS_PER_MINUTE = 60 * MILLIS_PER_SECOND;
    private static final long MILLIS_PER_HOUR = 60 * MILLIS_PER_MINUTE;
    private static final long MILLIS_PER_DAY = 24 * MILLIS_PER_HOUR;

    private HumanDuration() {}

    /** Writes a duration with the largest unit of which it is a whole number; less than a millisecond is dropped. */
    public static String format(Duration duration) {
        long millis = duration.toMillis();
        if (millis == 0 || millis % MILLIS_PER_SECOND != 0) {
            return millis + "ms";
        }
        if (millis % MILLIS_PER_MINUTE != 0) {
            return millis / MILLIS_PER_SECOND + "s";
        }
        if (millis % MILLIS_PER_HOUR != 0) {
            return millis / MILLIS_PER_MINUTE + "m";
        }
        return millis % MILLIS_PER_DAY != 0 ? millis / MILLIS_PER_HOUR + "h" : millis / MILLIS_PER_DAY + "d";
    }

    /**
     * Reads {@code 250ms}, {@code 30s}, {@code 5m}, {@code 24h} or {@code 7d}.
     *
     * @throws IllegalArgumentException if it is written otherwise
     */
    public static Duration parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("\"" + text
                    + "\" is not a duration; write a whole number and a unit, for example 250ms, 30s, 5m, 24h or 7d");
        }
        long amount = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofDays(amount);
        };
    }
}

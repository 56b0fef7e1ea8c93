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

    private HumanDuration() {}

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

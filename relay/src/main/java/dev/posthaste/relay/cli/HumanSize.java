package dev.posthaste.relay.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them: {@code 512KiB}, {@code 8MiB}, or plain bytes. */
final class HumanSize {

    private static final Pattern FORM = Pattern.compile("(\\d{1,12})(B|KiB|MiB|GiB)?");
    private static final long KIB = 1024;

    private HumanSize() {}

    static long parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not a size; write a whole number and B, KiB, MiB or GiB, for example 8MiB");
        }
        long amount = Long.parseLong(matcher.group(1));
        String unit = matcher.group(2) == null ? "B" : matcher.group(2);
        // Twelve digits of GiB are more than a long holds.
        try {
            return Math.multiplyExact(
                    amount,
                    switch (unit) {
                        case "KiB" -> KIB;
                        case "MiB" -> KIB * KIB;
                        case "GiB" -> KIB * KIB * KIB;
                        default -> 1L;
                    });
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("\"" + text + "\" is more than the 8 EiB that can be counted");
        }
    }

    static String format(long bytes) {
        if (bytes < KIB) {
            return bytes + " B";
        }
        if (bytes < KIB * KIB) {
            return String.format(Locale.ROOT, "%.1f KiB", bytes / (double) KIB);
        }
        return bytes < KIB * KIB * KIB
                ? String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (KIB * KIB))
                : String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (KIB * KIB * KIB));
    }
}

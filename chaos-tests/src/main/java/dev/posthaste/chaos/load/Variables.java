package dev.posthaste.chaos.load;

import java.util.Map;
import java.util.Optional;

/** Environment variables, read and checked one by one. Immutable. */
public final class Variables {

    private final Map<String, String> all;

    /** Of this environment. */
    public Variables(Map<String, String> all) {
        this.all = Map.copyOf(all);
    }

    /** A text; empty: it is not set. */
    public Optional<String> text(String name) {
        return Optional.ofNullable(all.get(name)).filter(value -> !value.isEmpty());
    }

    /**
     * A text that must be there.
     *
     * @throws IllegalArgumentException when it is not set
     */
    public String required(String name) {
        return text(name).orElseThrow(() -> new IllegalArgumentException(name + " is not set"));
    }

    /**
     * A whole number.
     *
     * @throws IllegalArgumentException when it is none, or out of its bounds: names all three
     */
    public long number(String name, long whenMissing, long min, long max) {
        String text = text(name).orElse(Long.toString(whenMissing));
        try {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // falls through to the same complaint
        }
        throw new IllegalArgumentException(
                name + " is \"" + text + "\", but must be a whole number from " + min + " to " + max);
    }

    /** The same for an {@code int}. */
    public int count(String name, int whenMissing, int min, int max) {
        return Math.toIntExact(number(name, whenMissing, min, max));
    }

    /**
     * A share, 0 where it is not set.
     *
     * @throws IllegalArgumentException when it is not from 0 to 1
     */
    public double share(String name) {
        String text = text(name).orElse("0");
        try {
            double share = Double.parseDouble(text);
            if (share >= 0 && share <= 1) {
                return share;
            }
        } catch (NumberFormatException e) {
            // falls through to the same complaint
        }
        throw new IllegalArgumentException(name + " is \"" + text + "\", but must be from 0 to 1");
    }
}

package dev.posthaste.relay.source;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place in the write-ahead log, an unsigned 64-bit byte position. Compares as PostgreSQL's {@code pg_lsn} does.
 *
 * @param value the position's bits
 */
public record Lsn(long value) implements Comparable<Lsn> {

    /** Before everything. */
    public static final Lsn NONE = new Lsn(0);

    private static final Pattern FORM = Pattern.compile("([0-9A-Fa-f]{1,8})/([0-9A-Fa-f]{1,8})");

    /**
     * Reads PostgreSQL's form, for example {@code 0/16B3748}.
     *
     * @throws IllegalArgumentException if it is written otherwise
     */
    public static Lsn parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("\"" + text + "\" is not a WAL position; it is written like 0/16B3748");
        }
        return new Lsn((Long.parseLong(matcher.group(1), 16) << 32) | Long.parseLong(matcher.group(2), 16));
    }

    /** The later of the two. */
    public Lsn max(Lsn other) {
        return compareTo(other) >= 0 ? this : other;
    }

    /** Whether this lies before the other. */
    public boolean isBefore(Lsn other) {
        return compareTo(other) < 0;
    }

    @Override
    public int compareTo(Lsn other) {
        return Long.compareUnsigned(value, other.value);
    }

    /** PostgreSQL's form. */
    @Override
    public String toString() {
        return Long.toHexString(value >>> 32).toUpperCase(Locale.ROOT) + "/"
                + Long.toHexString(value & 0xFFFF_FFFFL).toUpperCase(Locale.ROOT);
    }
}

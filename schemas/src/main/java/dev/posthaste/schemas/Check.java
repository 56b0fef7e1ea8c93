package dev.posthaste.schemas;

/**
 * The rules of single values, with errors that name the column, the size and the rule, and never the value of a
 * payload.
 */
final class Check {

    private Check() {}

    static void text(String column, String value, int charactersMax) {
        printable(column, value);
        size(column, characters(value), 1, charactersMax, "characters");
    }

    /** What is shown to people and written to logs has no control characters: they could forge a line there. */
    static void printable(String column, String value) {
        storable(column, value);
        if (value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    column + " contains a control character; it is shown to people and logged, leave it out");
        }
    }

    static void size(String column, int size, int min, int max, String unit) {
        if (size < min) {
            throw new IllegalArgumentException(column + " is empty, but must have at least " + min + " of its " + unit);
        }
        if (size > max) {
            throw new IllegalArgumentException(column + " has " + size + " " + unit + ", but may have at most " + max);
        }
    }

    /** PostgreSQL's text takes every character but U+0000. */
    static void storable(String column, String value) {
        if (value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    column + " contains the character U+0000, which PostgreSQL's text cannot hold");
        }
        wellFormed(column, value);
    }

    /** Half a surrogate pair has no UTF-8; the driver would store a question mark in its place. */
    static void wellFormed(String column, String value) {
        for (int i = 0; i < value.length(); i++) {
            if (!Character.isSurrogate(value.charAt(i))) {
                continue;
            }
            if (!Character.isSurrogatePair(value.charAt(i), i + 1 < value.length() ? value.charAt(i + 1) : ' ')) {
                throw new IllegalArgumentException(column + " has half a surrogate pair at index " + i
                        + ", which is no Unicode text; the string was cut or built wrongly");
            }
            i++;
        }
    }

    /** Characters as PostgreSQL counts them: code points. */
    static int characters(String value) {
        return value.codePointCount(0, value.length());
    }
}

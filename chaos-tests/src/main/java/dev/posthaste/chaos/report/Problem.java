package dev.posthaste.chaos.report;

import java.util.Arrays;
import java.util.List;

/**
 * Something that was found to be wrong. Immutable.
 *
 * @param title what kind of thing it is, as "lost"; findings are counted by it
 * @param detail what is wrong
 * @param records the lines that show it
 * @param total how often it is so, also where fewer records show it
 */
public record Problem(String title, String detail, List<String> records, long total) {

    private static final int FRAMES_MAX = 8;

    /** Keeps a copy of the records. */
    public Problem {
        records = List.copyOf(records);
    }

    /** That something was thrown; where, is its records. */
    public static Problem of(String title, Exception thrown) {
        List<String> frames = Arrays.stream(thrown.getStackTrace())
                .limit(FRAMES_MAX)
                .map(StackTraceElement::toString)
                .toList();
        return new Problem(title, thrown.toString(), frames, 1);
    }
}

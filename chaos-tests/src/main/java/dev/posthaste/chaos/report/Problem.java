package dev.posthaste.chaos.report;

import java.util.List;

/**
 * Something that was found to be wrong. Immutable.
 *
 * @param title what kind of thing it is, as "lost"; findings are counted by it
 * @param detail what is wrong
 * @param records the lines that show it
 */
public record Problem(String title, String detail, List<String> records) {

    /** Keeps a copy of the records. */
    public Problem {
        records = List.copyOf(records);
    }
}

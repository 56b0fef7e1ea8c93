package dev.posthaste.chaos.check;

import java.util.List;

/**
 * Something that does not hold. Immutable.
 *
 * @param what is wrong, the same for all its records
 * @param records what shows it: the first {@value #RECORDS_MAX} at most
 * @param total how many records show it
 */
public record Finding(Invariant invariant, String what, List<String> records, long total) {

    /** So many records of a finding are kept; of the others only the count. */
    public static final int RECORDS_MAX = 20;

    /** Copies the records. */
    public Finding {
        records = List.copyOf(records);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder()
                .append(invariant)
                .append(": ")
                .append(what)
                .append(" (")
                .append(total)
                .append(')');
        records.forEach(record -> text.append("\n  ").append(record));
        if (total > records.size()) {
            text.append("\n  and ").append(total - records.size()).append(" more");
        }
        return text.toString();
    }
}

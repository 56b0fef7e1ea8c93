package dev.posthaste.chaos.check;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;

/**
 * A message that somebody staged. Immutable.
 *
 * @param stored whether the database that is left has it
 * @param outcome of its transaction; null: nobody was left to tell
 */
record Message(Entry.Staged staged, long tx, Fate fate, boolean stored, Entry.@Nullable Outcome outcome) {

    /** What became of it. */
    enum Fate {
        /** It is to be published. */
        COMMITTED("committed"),
        /** It may have been committed, in a database that is no more: it may be published and need not be. */
        FORGOTTEN("forgotten by the database that is left"),
        /** It was rolled back with its transaction. */
        ROLLED_BACK("rolled back"),
        /** It was rolled back to a savepoint. */
        UNDONE("undone by a savepoint"),
        /** Its transaction did not answer, and the database has nothing of it. */
        NEVER_COMMITTED("of a transaction that never committed");

        private final String words;

        Fate(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    boolean isCommitted() {
        return fate == Fate.COMMITTED;
    }

    /** Whether anybody may see it, as a message or as a marker. */
    boolean mayBeSeen() {
        return fate == Fate.COMMITTED || fate == Fate.FORGOTTEN;
    }

    /** Whether it may be on a topic as a message. */
    boolean mayBePublished() {
        return mayBeSeen() && !staged.refused();
    }

    @Override
    public String toString() {
        return "message " + staged.id() + ", number " + staged.number() + " of key " + staged.key() + ", transaction "
                + tx + ", " + fate.words();
    }
}

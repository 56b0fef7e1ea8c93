package dev.posthaste.relay;

/**
 * Why a relay halted, and what to do.
 *
 * @param cause names the runbook as well
 * @param detail what was found, with the values
 * @param remedy what to do next
 */
public record HaltReason(Cause cause, String detail, String remedy) {

    /** What may halt a relay: never a passing outage, always something that needs a person. */
    public enum Cause {
        /** The outbox of another slot, or none, is registered for this namespace. */
        SOURCE_NOT_REGISTERED,
        /** Something that every batch rests on is not as it must be. */
        PREFLIGHT_FAILED,
        /** The slot does not exist. */
        SLOT_MISSING,
        /** The server has given the slot up. */
        SLOT_INVALIDATED,
        /** The slot was moved further than the relay ever allowed: what lies between was skipped. */
        SLOT_BEYOND_ACK,
        /** The slot uses another output plugin. */
        SLOT_OF_ANOTHER_PLUGIN,
        /** Kafka left a transaction of the relay undecided, and it is not certain how it must be decided. */
        TRANSACTION_UNDECIDED,
        /** There is no position record. */
        POSITION_MISSING,
        /** The position record is of an unknown format. */
        POSITION_UNREADABLE,
        /** The position belongs to another server, database or timeline. */
        POSITION_OF_ANOTHER_DATABASE,
        /** The database lacks what was published: restored from a backup, or promoted too early. */
        DATABASE_OLDER_THAN_POSITION,
        /** The last batch has no evidence, and its messages are not sent again. */
        EVIDENCE_INCOMPLETE,
        /** The engine cannot decode a row, or the relay a column of it. */
        ROW_UNREADABLE,
        /** The catalog cannot be used. */
        CATALOG_INVALID
    }

    @Override
    public String toString() {
        return cause + ": " + detail + "; " + remedy;
    }
}

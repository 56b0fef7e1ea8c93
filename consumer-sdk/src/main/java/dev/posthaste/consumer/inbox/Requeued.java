package dev.posthaste.consumer.inbox;

/** What became of a dead letter that an operator wanted to run again. */
public enum Requeued {
    /** It runs again when it is due. */
    REQUEUED("requeued"),
    /** Its effect is there; nothing is run. */
    ALREADY_DONE("already-done"),
    /** It is no dead letter of that attempt any more: somebody else has replayed it, or given it up. */
    NO_DEAD_LETTER("no-dead-letter"),
    /** The relay has the message, and here is but its marker: release or discard it there. */
    QUARANTINED("quarantined");

    private final String wireName;

    Requeued(String wireName) {
        this.wireName = wireName;
    }

    /** The name in {@code inbox.replay_item.result}. */
    public String wireName() {
        return wireName;
    }
}

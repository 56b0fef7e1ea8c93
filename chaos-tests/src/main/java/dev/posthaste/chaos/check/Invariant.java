package dev.posthaste.chaos.check;

/** What must hold of every run. */
public enum Invariant {
    LOST("Every committed message is in the database and on every handler's topic, or set aside where it is refused."),
    ABORTED_READ("Nobody sees a message that was not committed, nor one that is refused."),
    DUPLICATE("A message is on a handler's topic once."),
    BYTES("Key and bytes of a message arrive as they were staged, in dead letters as well."),
    ORDER("The messages of a key are in commit order, on every topic in one partition, and in ordered effects."),
    EFFECT_MISSING("Every published message has its effect, or is given up and kept as a dead letter."),
    EFFECT_DOUBLED("A message has its effect once, if it was published to the handler and is completed there."),
    CALLS("A provider is called under ids of messages that were published to its handler, and no other key."),
    EVIDENCE("Every published message is in one batch of the evidence, and every message of a batch is dealt with."),
    STALE_WRITE("Who has lost the lease writes nothing any more."),
    SLOT_PAST_UNPUBLISHED("The slot is past no committed message that is not published or set aside."),
    RECOVERY("After the last fault, new messages are on every topic within the bound."),
    BOUNDS("Memory and held-back WAL stay within their bounds."),
    FAULT_FIRED("What was to be broken was broken, and was seen to be."),
    DRAINED("The run ended as it was to end, and its history is whole."),
    VACUOUS("There was something to judge: no check passes for want of anything to look at.");

    private final String sentence;

    Invariant(String sentence) {
        this.sentence = sentence;
    }

    /** What it says, for a reader. */
    public String sentence() {
        return sentence;
    }
}

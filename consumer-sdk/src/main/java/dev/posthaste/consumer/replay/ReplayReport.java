package dev.posthaste.consumer.replay;

import java.time.Instant;
import java.util.UUID;

/**
 * What a replay has done, all calls for its selection together. Immutable.
 *
 * @param id the replay's, and its selection's
 * @param handler whose dead letters
 * @param actor who began it
 * @param reason why
 * @param startedAt when it was begun, on the inbox database's clock
 * @param selected how many were selected
 * @param requeued how many of them run again
 * @param alreadyDone how many have had their effect
 * @param noDeadLetter how many were no dead letters any more, or had failed again since
 * @param quarantined how many are but markers: the relay has their messages
 */
public record ReplayReport(
        UUID id,
        String handler,
        String actor,
        String reason,
        Instant startedAt,
        int selected,
        int requeued,
        int alreadyDone,
        int noDeadLetter,
        int quarantined) {

    /** How many are not decided yet: the replay was interrupted, or is under way elsewhere. */
    public int undecided() {
        return selected - requeued - alreadyDone - noDeadLetter - quarantined;
    }
}

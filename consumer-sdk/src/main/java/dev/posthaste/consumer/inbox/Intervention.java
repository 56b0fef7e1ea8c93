package dev.posthaste.consumer.inbox;

import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * Who brings dead letters back or gives them up, and why. Immutable.
 *
 * @param replayId the replay it is part of; null for none
 * @param actor a person or a system, as the journal shall name it
 * @param reason in a sentence
 */
public record Intervention(@Nullable UUID replayId, String actor, String reason) {

    /**
     * Refuses what would leave the journal empty.
     *
     * @throws IllegalArgumentException if actor or reason is blank
     */
    public Intervention {
        if (actor.isBlank() || reason.isBlank()) {
            throw new IllegalArgumentException("actor is \"" + actor + "\" and reason is \"" + reason
                    + "\", but the journal needs both; say who does this, and why");
        }
    }
}

package dev.posthaste.schemas.catalog;

import java.time.Duration;

import dev.posthaste.schemas.HumanDuration;

/**
 * What a team has agreed on before the first message of a handler (provisions S1 3, 22, 31). Immutable.
 *
 * @param guarantee {@code effect-once} or {@code at-least-once}
 * @param boundary what lies downstream: the database or provider that the effect reaches
 * @param duplicates what happens when a message comes twice
 * @param retry when a failed attempt is repeated, and until when
 * @param runbook page that says what to do when it fires
 * @param target delivery target: how old the oldest waiting message may become
 * @param alerts thresholds, no looser than the target
 */
public record DurableDelivery(
        String guarantee,
        String boundary,
        String duplicates,
        Retry retry,
        String runbook,
        Duration target,
        Alerts alerts) {

    /** Checks that the alert fires before the target is missed. */
    public DurableDelivery {
        if (alerts.oldestPending().compareTo(target) > 0) {
            throw new IllegalArgumentException("delivery.alerts.oldestPending is "
                    + HumanDuration.format(alerts.oldestPending()) + ", looser than the delivery target of "
                    + HumanDuration.format(target) + "; make it at most the target");
        }
    }

    /**
     * Bounded exponential backoff with full jitter.
     *
     * @param attempts how often a message is tried in all; at least 1
     * @param first upper bound of the first delay
     * @param max upper bound of every delay
     * @param horizon how long after the first attempt the last one may come
     */
    public record Retry(int attempts, Duration first, Duration max, Duration horizon) {
        /** Checks the bounds against each other. */
        public Retry {
            if (first.compareTo(max) > 0) {
                throw new IllegalArgumentException("delivery.retry.first is " + HumanDuration.format(first)
                        + ", longer than delivery.retry.max, " + HumanDuration.format(max) + "; make it at most that");
            }
            if (max.compareTo(horizon) > 0) {
                throw new IllegalArgumentException(
                        "delivery.retry.max is " + HumanDuration.format(max) + ", longer than delivery.retry.horizon, "
                                + HumanDuration.format(horizon) + "; make it at most that");
            }
        }
    }

    /**
     * When to call somebody.
     *
     * @param oldestPending age of the oldest waiting message
     * @param failed number of dead letters and quarantined messages; at least 1
     */
    public record Alerts(Duration oldestPending, int failed) {}
}

package dev.posthaste.consumer.internal;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.Outcome;
import dev.posthaste.consumer.RetryPolicy;
import dev.posthaste.consumer.inbox.Fate;
import dev.posthaste.consumer.inbox.Verdict;

/**
 * Decides what becomes of a message whose attempt failed (provisions S1 22 and 23). Thread-safe.
 *
 * @param retry how often and when it is tried again
 * @param permanent failures that no other attempt would mend
 * @param clock what time it is
 */
public record FailurePolicy(RetryPolicy retry, List<Class<? extends Throwable>> permanent, Clock clock) {

    private static final int CAUSES_MAX = 20;

    /** Copies the list. */
    public FailurePolicy {
        permanent = List.copyOf(permanent);
    }

    /**
     * The decision, with the cause in one word and why.
     *
     * @param why is empty where there is nothing to add to the error
     * @param ofTheMessage whether the handler itself has judged the message, so that the failure tells of nothing else
     */
    record Decision(Fate fate, String code, String why, boolean ofTheMessage) {}

    Decision decide(Throwable cause, Verdict.Run run) {
        if (cause instanceof NotDoneException notDone && notDone.outcome() instanceof Outcome.Dead dead) {
            return new Decision(new Fate.DeadLetter(dead.code()), dead.code(), dead.detail(), true);
        }
        Throwable permanentOne = permanent(cause);
        if (permanentOne != null) {
            String code = code(permanentOne);
            return new Decision(new Fate.DeadLetter(code), code, "permanent", true);
        }
        String code = cause instanceof NotDoneException ? "retry-after" : code(cause);
        Duration delay =
                cause instanceof NotDoneException notDone && notDone.outcome() instanceof Outcome.RetryAfter retryAfter
                        ? retryAfter.delay()
                        : retry.delay(counted(run), ThreadLocalRandom.current());
        return again(run, code, delay, cause instanceof NotDoneException);
    }

    /** For an attempt whose process or lease ended before it did. */
    Decision unfinished(Verdict.Run begun, String code) {
        return again(begun, code, retry.delay(counted(begun), ThreadLocalRandom.current()), true);
    }

    private static int counted(Verdict.Run run) {
        return Math.max(1, run.attempt() - run.forgiven());
    }

    private Decision again(Verdict.Run run, String code, Duration delay, boolean ofTheMessage) {
        if (counted(run) >= retry.attempts()) {
            return new Decision(
                    new Fate.DeadLetter(code),
                    code,
                    "the last of " + retry.attempts() + " attempts failed",
                    ofTheMessage);
        }
        if (clock.instant().plus(delay).isAfter(run.countedFrom().plus(retry.horizon()))) {
            return new Decision(
                    new Fate.DeadLetter(code),
                    code,
                    "the next attempt would come later than the horizon of " + retry.horizon(),
                    ofTheMessage);
        }
        return new Decision(new Fate.Retry(delay), code, "", ofTheMessage);
    }

    /** In one word: that of an anonymous class is its binary name's last part. */
    private static String code(Throwable error) {
        String simple = error.getClass().getSimpleName();
        String name = error.getClass().getName();
        return simple.isEmpty() ? name.substring(name.lastIndexOf('.') + 1) : simple;
    }

    /** The failure itself or the cause of it that is named permanent; null for none. */
    private @Nullable Throwable permanent(Throwable error) {
        Throwable cause = error;
        for (int i = 0; i < CAUSES_MAX && cause != null; i++, cause = cause.getCause()) {
            Throwable now = cause;
            if (permanent.stream().anyMatch(type -> type.isInstance(now))) {
                return now;
            }
        }
        return null;
    }
}

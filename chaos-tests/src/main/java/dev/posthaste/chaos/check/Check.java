package dev.posthaste.chaos.check;

/** Looks at the facts for one invariant, or for some that belong together. Keeps nothing. */
@FunctionalInterface
interface Check {

    /** Adds what does not hold, and says how much was looked at. */
    void judge(Facts facts, Findings findings);
}

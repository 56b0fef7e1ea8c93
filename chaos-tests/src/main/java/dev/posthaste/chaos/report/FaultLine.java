package dev.posthaste.chaos.report;

/**
 * A fault, or its mending, as the report has it. Immutable.
 *
 * @param atMillis since the run's start
 * @param name what was done, to whom
 * @param fired whether it was seen to have taken effect
 * @param evidence how that was seen
 */
public record FaultLine(long atMillis, String name, boolean fired, String evidence) {}

package dev.posthaste.consumer;

import java.time.Instant;

/**
 * A handler pauses: its messages fail alike, one after the other, as they do while something it needs is away. It goes
 * on by itself once a probe succeeds; meanwhile no attempt is spent.
 *
 * @param code how they failed, in one word
 * @param since when it opened
 * @param failures how many different messages had failed by then
 */
public record OpenBreaker(String code, Instant since, int failures) {}

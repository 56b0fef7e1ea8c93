package dev.posthaste.consumer;

import java.time.Instant;

/**
 * One coming of a message to its handler.
 *
 * @param attempt which attempt this is over the message's whole life, from 1
 * @param firstSeenAt when the message first came in, on the inbox database's clock
 * @param replayed whether an operator's replay or release has brought it
 */
public record Delivery(int attempt, Instant firstSeenAt, boolean replayed) {}

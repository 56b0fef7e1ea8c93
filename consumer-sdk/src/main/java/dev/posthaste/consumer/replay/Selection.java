package dev.posthaste.consumer.replay;

import java.util.UUID;

/**
 * A frozen set of dead letters: what fails after it was made is not in it. It is kept in the database, so that it can
 * be counted now and replayed later, by another process as well. Immutable.
 *
 * @param id names it, and the replay of it
 * @param handler whose dead letters
 * @param description the query in words
 * @param size how many
 */
public record Selection(UUID id, String handler, String description, int size) {}

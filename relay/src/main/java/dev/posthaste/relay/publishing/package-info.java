/**
 * Exactly once from the WAL to the topics: one Kafka transaction per batch holds every copy of every message and the
 * new position. Producer types never leave this package.
 */
@NullMarked
package dev.posthaste.relay.publishing;

import org.jspecify.annotations.NullMarked;

/** Reads how an outbox stands, from PostgreSQL and Kafka alone: it works beside any relay, and without one. */
@NullMarked
package dev.posthaste.relay.status;

import org.jspecify.annotations.NullMarked;

/** Tests of the consumer SDK on a real PostgreSQL and a real Kafka broker. */
@NullMarked
package dev.posthaste.consumer;

import org.jspecify.annotations.NullMarked;

/**
 * A real PostgreSQL and a real Kafka broker for tests and for the demo.
 *
 * <p>{@link dev.posthaste.testkit.Stack} is the way in; {@link dev.posthaste.testkit.PosthasteStack} brings it to JUnit
 * 5.
 */
@NullMarked
package dev.posthaste.testkit;

import org.jspecify.annotations.NullMarked;

/**
 * What proves that a message was published: one row per batch in {@code outbox.dispatch_batch}, written under the
 * lease.
 */
@NullMarked
package dev.posthaste.relay.evidence;

import org.jspecify.annotations.NullMarked;

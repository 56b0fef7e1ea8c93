/**
 * What the consuming service remembers: {@link dev.posthaste.consumer.inbox.InboxStore} and its implementation in
 * PostgreSQL. Everything here runs on the caller's connection and in the caller's transaction.
 */
@NullMarked
package dev.posthaste.consumer.inbox;

import org.jspecify.annotations.NullMarked;

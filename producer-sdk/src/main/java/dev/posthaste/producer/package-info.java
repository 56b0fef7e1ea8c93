/**
 * Stages messages in the outbox, inside the transaction of the business change: {@link dev.posthaste.producer.Outbox}.
 * What is left out of the outbox on purpose runs through {@link dev.posthaste.producer.AfterCommit}.
 */
@NullMarked
package dev.posthaste.producer;

import org.jspecify.annotations.NullMarked;

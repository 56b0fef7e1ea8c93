/**
 * How handlers are run; not for users. A {@link dev.posthaste.consumer.internal.HandlerLoop} polls and commits offsets,
 * a {@link dev.posthaste.consumer.internal.Lane} keeps the order of one partition, a
 * {@link dev.posthaste.consumer.internal.ChunkRunner} runs a few of its records in one database transaction.
 */
@NullMarked
package dev.posthaste.consumer.internal;

import org.jspecify.annotations.NullMarked;

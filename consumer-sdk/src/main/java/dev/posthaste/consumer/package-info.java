/**
 * Handlers with effect once. Describe each with {@link dev.posthaste.consumer.Handler#handler(String)}, run them with a
 * {@link dev.posthaste.consumer.PosthasteConsumer}.
 */
@NullMarked
package dev.posthaste.consumer;

import org.jspecify.annotations.NullMarked;

/** Tests of the producer SDK, and of the outbox's tables as a writer meets them. */
@NullMarked
package dev.posthaste.producer;

import org.jspecify.annotations.NullMarked;

/** Takes what is due from the inbox and puts it on the retry and dead-letter topics. Not for users. */
@NullMarked
package dev.posthaste.consumer.internal.outgoing;

import org.jspecify.annotations.NullMarked;

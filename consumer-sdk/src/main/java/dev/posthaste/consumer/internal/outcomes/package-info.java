/** Tells those who watch what happens, on the topic {@code <namespace>.outcomes}. Not for users. */
@NullMarked
package dev.posthaste.consumer.internal.outcomes;

import org.jspecify.annotations.NullMarked;

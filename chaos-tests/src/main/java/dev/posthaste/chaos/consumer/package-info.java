/** The handlers of a run as processes, and the provider that one of them calls. */
@NullMarked
package dev.posthaste.chaos.consumer;

import org.jspecify.annotations.NullMarked;

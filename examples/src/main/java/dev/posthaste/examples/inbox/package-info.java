/** {@code posthaste inbox}: a command line of the consumer SDK's desk, for any service's inbox. */
@NullMarked
package dev.posthaste.examples.inbox;

import org.jspecify.annotations.NullMarked;

/** Which handlers get a copy of a message, by the catalog, and what its record's headers say. */
@NullMarked
package dev.posthaste.relay.routing;

import org.jspecify.annotations.NullMarked;

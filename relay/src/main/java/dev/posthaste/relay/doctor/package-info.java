/**
 * Looks at everything the promise rests on, before streaming and on demand, and says of each finding what it is, why it
 * matters and what mends it.
 */
@NullMarked
package dev.posthaste.relay.doctor;

import org.jspecify.annotations.NullMarked;

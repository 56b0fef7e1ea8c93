/**
 * What cannot be published to a handler: set aside before the batch goes on, and looked after by operators. A poison
 * message stops nobody else.
 */
@NullMarked
package dev.posthaste.relay.quarantine;

import org.jspecify.annotations.NullMarked;

/**
 * What {@code init} makes before a relay can run: tables, slot, topics, the first position. Every step may be repeated.
 */
@NullMarked
package dev.posthaste.relay.setup;

import org.jspecify.annotations.NullMarked;

/**
 * The contract all sides share: messages, their kinds, headers, limits and states, topic names, and where the tables'
 * migrations are. The catalog has a package of its own below this one.
 */
@NullMarked
package dev.posthaste.schemas;

import org.jspecify.annotations.NullMarked;

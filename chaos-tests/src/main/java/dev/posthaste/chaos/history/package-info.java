/** What a run leaves: JSON lines, written while it happens and read afterwards. */
@NullMarked
package dev.posthaste.chaos.history;

import org.jspecify.annotations.NullMarked;

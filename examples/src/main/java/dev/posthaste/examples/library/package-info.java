/** The example: a lending service that stages messages with its loans, and two handlers in databases of their own. */
@NullMarked
package dev.posthaste.examples.library;

import org.jspecify.annotations.NullMarked;

/** The contract all sides share. */
@NullMarked
package dev.posthaste.schemas;

import org.jspecify.annotations.NullMarked;

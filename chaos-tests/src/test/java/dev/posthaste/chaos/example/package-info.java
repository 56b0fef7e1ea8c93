/** The scenario that the README shows. */
@NullMarked
package dev.posthaste.chaos.example;

import org.jspecify.annotations.NullMarked;

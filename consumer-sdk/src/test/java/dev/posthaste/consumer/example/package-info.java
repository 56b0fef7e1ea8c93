/** The README's example. */
@NullMarked
package dev.posthaste.consumer.example;

import org.jspecify.annotations.NullMarked;

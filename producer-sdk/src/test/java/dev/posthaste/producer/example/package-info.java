/** The README's example. */
@NullMarked
package dev.posthaste.producer.example;

import org.jspecify.annotations.NullMarked;

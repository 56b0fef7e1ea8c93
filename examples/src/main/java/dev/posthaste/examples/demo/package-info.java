/**
 * {@code posthaste demo}: the embedded stack, the relay, the lending service and two handlers as real processes, kills,
 * and a check of what came out, read from the tables and the topics.
 */
@NullMarked
package dev.posthaste.examples.demo;

import org.jspecify.annotations.NullMarked;

/**
 * Real relay and demo processes on a real stack: started, stopped, killed and frozen. {@code PosthasteProcess} is any
 * command as a process, {@code RelayProcess} a relay with its health, {@code ProcessOutbox} an outbox of a test's own.
 */
@NullMarked
package dev.posthaste.examples.process;

import org.jspecify.annotations.NullMarked;

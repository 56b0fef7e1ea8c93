/**
 * The command line: {@code posthaste init | relay | status | version}. Other modules on the class path add commands
 * through {@link dev.posthaste.relay.cli.CommandProvider}.
 */
@NullMarked
package dev.posthaste.relay.cli;

import org.jspecify.annotations.NullMarked;

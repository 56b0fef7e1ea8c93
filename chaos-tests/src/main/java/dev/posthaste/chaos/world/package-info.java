/** What runs: servers, links between them and the processes under test, and how each is broken and mended. */
@NullMarked
package dev.posthaste.chaos.world;

import org.jspecify.annotations.NullMarked;

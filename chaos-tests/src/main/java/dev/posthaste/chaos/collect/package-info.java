/** What is read of topics, tables and processes: samples while a run goes on, everything once it is over. */
@NullMarked
package dev.posthaste.chaos.collect;

import org.jspecify.annotations.NullMarked;

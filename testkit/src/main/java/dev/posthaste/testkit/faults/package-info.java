/** What goes wrong between processes and their stores, made to happen: links that fail, a gate, a broker to kill. */
@NullMarked
package dev.posthaste.testkit.faults;

import org.jspecify.annotations.NullMarked;

/** The README's example, as a service team would write it: it sees the public API only. */
@NullMarked
package dev.posthaste.testkit.example;

import org.jspecify.annotations.NullMarked;

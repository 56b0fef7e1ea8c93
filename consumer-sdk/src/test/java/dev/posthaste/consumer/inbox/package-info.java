@NullMarked
package dev.posthaste.consumer.inbox;

import org.jspecify.annotations.NullMarked;

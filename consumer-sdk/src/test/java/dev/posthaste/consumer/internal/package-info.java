/** Tests of single parts. */
@NullMarked
package dev.posthaste.consumer.internal;

import org.jspecify.annotations.NullMarked;

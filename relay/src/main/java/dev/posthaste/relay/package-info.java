/**
 * The relay. Its packages are the pipeline, in the order data flows: {@code source} → {@code routing} →
 * {@code publishing} → {@code evidence}; {@code lease}, {@code health} and {@code cli} stand around it. Here is what
 * ties them together: the settings, the life of the relay, and one leader's term.
 */
@NullMarked
package dev.posthaste.relay;

import org.jspecify.annotations.NullMarked;

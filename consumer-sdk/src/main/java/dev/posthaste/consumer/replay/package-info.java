/**
 * For operators and their tools: what lies dead in an inbox, and how it is brought back or given up, each time by
 * somebody with a reason. Begin with {@link dev.posthaste.consumer.replay.InboxDesk}.
 */
@NullMarked
package dev.posthaste.consumer.replay;

import org.jspecify.annotations.NullMarked;

package dev.posthaste.consumer.internal.outcomes;

import java.util.Map;
import java.util.SortedSet;

import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.internal.Ownership;

/**
 * A handler whose outcomes are told.
 *
 * @param handler its name
 * @param ownership whether that inbox is its own
 * @param inbox its inbox, with the journal
 * @param reads the versions of each type that it reads
 */
public record OutcomeSource(
        String handler, Ownership ownership, InboxStore inbox, Map<String, SortedSet<Integer>> reads) {}

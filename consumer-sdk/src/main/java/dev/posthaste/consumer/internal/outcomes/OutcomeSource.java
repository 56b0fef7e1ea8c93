package dev.posthaste.consumer.internal.outcomes;

import java.util.Map;
import java.util.SortedSet;

import dev.posthaste.consumer.inbox.InboxStore;

/**
 * A handler whose outcomes are told.
 *
 * @param handler its name
 * @param inbox its inbox, with the journal
 * @param reads the versions of each type that it reads
 */
public record OutcomeSource(String handler, InboxStore inbox, Map<String, SortedSet<Integer>> reads) {}

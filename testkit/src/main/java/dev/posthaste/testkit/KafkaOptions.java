package dev.posthaste.testkit;

import java.util.LinkedHashMap;
import java.util.Map;

/** The settings every broker of the testkit has, embedded or not: one node, quick to start, transactions at hand. */
final class KafkaOptions {

    private static final Map<String, String> ALL = Map.ofEntries(
            Map.entry("auto.create.topics.enable", "false"),
            Map.entry("default.replication.factor", "1"),
            Map.entry("min.insync.replicas", "1"),
            Map.entry("offsets.topic.replication.factor", "1"),
            Map.entry("offsets.topic.num.partitions", "4"),
            Map.entry("transaction.state.log.replication.factor", "1"),
            Map.entry("transaction.state.log.min.isr", "1"),
            Map.entry("transaction.state.log.num.partitions", "4"),
            Map.entry("share.coordinator.state.topic.replication.factor", "1"),
            Map.entry("share.coordinator.state.topic.min.isr", "1"),
            Map.entry("share.coordinator.state.topic.num.partitions", "1"),
            Map.entry("group.initial.rebalance.delay.ms", "0"),
            Map.entry("message.max.bytes", Integer.toString(12 * 1024 * 1024)),
            Map.entry("replica.fetch.max.bytes", Integer.toString(12 * 1024 * 1024)),
            Map.entry("num.network.threads", "2"),
            Map.entry("num.io.threads", "4"),
            Map.entry("background.threads", "2"),
            // The default keeps 128 MiB of heap for compaction.
            Map.entry("log.cleaner.dedupe.buffer.size", Integer.toString(8 * 1024 * 1024)));

    private KafkaOptions() {}

    static Map<String, String> with(Map<String, String> further) {
        Map<String, String> all = new LinkedHashMap<>(ALL);
        all.putAll(further);
        return all;
    }
}

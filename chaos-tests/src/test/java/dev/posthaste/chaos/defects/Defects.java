package dev.posthaste.chaos.defects;

import java.util.List;

import dev.posthaste.chaos.check.Invariant;

/** What can be done wrong. */
final class Defects {

    private static final String RELAY = "relay/src/main/java/dev/posthaste/relay/";
    private static final String SDK = "consumer-sdk/src/main/java/dev/posthaste/consumer/";
    private static final String PUBLISHER = RELAY + "publishing/KafkaPublisher.java";

    private Defects() {}

    static List<Defect> all() {
        return List.of(
                new Defect(
                        "rows that the position covers are published again",
                        RELAY + "Pipeline.java",
                        "if (tracker.row() == PositionTracker.Verdict.SKIP) {",
                        "if (tracker.row() == PositionTracker.Verdict.SKIP && bounds == null) {",
                        "relay-killed-after-commit",
                        List.of(Invariant.DUPLICATE, Invariant.DRAINED)),
                new Defect(
                        "the position is forgotten",
                        PUBLISHER,
                        "transact(messages, () -> sendPosition(after));",
                        "transact(messages, messages.isEmpty() ? () -> sendPosition(after) : () -> {});",
                        "relay-killed-after-commit",
                        List.of(Invariant.DUPLICATE, Invariant.DRAINED)),
                new Defect(
                        "the WAL is acknowledged before Kafka has the batch",
                        RELAY + "Pipeline.java",
                        "        Batch batch = new Batch(bounds);\n        for (WalEvent",
                        "        walBatch.acknowledge();\n        Batch batch = new Batch(bounds);\n        for (WalEvent",
                        "broker-killed",
                        List.of(Invariant.LOST, Invariant.DRAINED, Invariant.SLOT_PAST_UNPUBLISHED)),
                new Defect(
                        "a batch that Kafka did not take is swallowed",
                        PUBLISHER,
                        "            if (first == null) {\n                throw e;",
                        "            if (first == null) {\n                return;",
                        "broker-killed",
                        List.of(Invariant.LOST, Invariant.DRAINED)),
                new Defect(
                                "nobody is fenced: each relay has a transactional id of its own, and leads on without its lease",
                                RELAY + "RelaySettings.java",
                                "return publisher(namespace.name() + \"-\" + slot);",
                                "return publisher(namespace.name() + \"-\" + slot + ProcessHandle.current().pid());",
                                "relay-frozen-with-a-batch-on-its-way",
                                List.of(Invariant.DUPLICATE))
                        .with(
                                RELAY + "lease/LeaseKeeper.java",
                                "if (now - renewedAt >= duration.toNanos()) {",
                                "if (now - renewedAt >= duration.toNanos() && closed) {")
                        .with(
                                RELAY + "lease/LeaseKeeper.java",
                                "if (!closed && !renew()) {",
                                "if (!closed && !renew() && closed) {"),
                new Defect(
                        "the engine restarts in place",
                        RELAY + "source/EngineProperties.java",
                        "p.setProperty(\"errors.max.retries\", \"0\");",
                        "p.setProperty(\"errors.max.retries\", \"10\");",
                        "walsender-ended",
                        List.of(Invariant.DUPLICATE, Invariant.LOST, Invariant.ORDER)),
                new Defect(
                        "the bytes of a payload are changed",
                        PUBLISHER,
                        "byte[] value = message.row().payload().bytes();",
                        "byte[] value = new String(message.row().payload().bytes(), StandardCharsets.UTF_8).concat(\" \")"
                                + ".getBytes(StandardCharsets.UTF_8);",
                        "relay-killed-before-commit",
                        List.of(Invariant.BYTES)),
                new Defect(
                        "records lose their key, and with it their order",
                        PUBLISHER,
                        "copy = new ProducerRecord<>(topic, key, value);",
                        "copy = new ProducerRecord<>(topic, null, value);",
                        "relay-killed-before-commit",
                        List.of(Invariant.BYTES, Invariant.ORDER)),
                new Defect(
                        "one handler is left out",
                        PUBLISHER,
                        "for (String topic : message.topics()) {",
                        "for (String topic : message.topics().stream().skip(1).toList()) {",
                        "relay-killed-before-commit",
                        List.of(Invariant.LOST)),
                new Defect(
                        "offsets are committed before their records are handled",
                        SDK + "internal/OffsetCommitter.java",
                        "return lane.isIdle() ? consumer.position(lane.partition()) : lane.finishedOffset();",
                        "return lane.isStarted() ? consumer.position(lane.partition()) : lane.finishedOffset();",
                        "consumers-killed-at-random",
                        List.of(Invariant.EFFECT_MISSING)),
                new Defect(
                        "handlers share what they remember of a message",
                        SDK + "inbox/PostgresInbox.java",
                        "this.claims = new Claims(handler, owner, attemptsMax);",
                        "this.claims = new Claims(\"any\", owner, attemptsMax);",
                        "consumers-killed-at-random",
                        List.of(Invariant.EFFECT_MISSING, Invariant.EFFECT_DOUBLED)),
                new Defect(
                        "what is completed runs again when it comes again",
                        SDK + "inbox/Claims.java",
                        "case \"completed\" -> new Verdict.Skip(true);",
                        "case \"completed\" -> row.run(row.attempt, row.forgiven);",
                        "consumers-killed-at-random",
                        List.of(Invariant.EFFECT_DOUBLED, Invariant.DRAINED)),
                new Defect(
                        "a failed attempt is not kept",
                        SDK + "internal/FailureRecorder.java",
                        "boolean written = inbox.fail(connection, failed);",
                        "boolean written = failed != null;",
                        "consumers-killed-at-random",
                        List.of(Invariant.EFFECT_MISSING)),
                new Defect(
                        "a dead letter that its topic refuses is skipped instead of emitted",
                        SDK + "internal/outgoing/Emitter.java",
                        "            if (failure == null) {\n",
                        "            if (failure == null || route == InboxStore.Route.DEAD_LETTER) {\n",
                        "retry-and-dead-letter-topics-refuse",
                        List.of(Invariant.EFFECT_MISSING)),
                new Defect(
                        "later messages of a key do not wait",
                        SDK + "inbox/KeyOrder.java",
                        "return queue.newcomerWaits;",
                        "return false;",
                        "consumers-killed-at-random",
                        List.of(Invariant.ORDER)));
    }
}

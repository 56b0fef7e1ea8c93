package dev.posthaste.chaos.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import dev.posthaste.chaos.history.Entry;

/** Whether the evidence tells of what is on the topics, and of nothing else. */
final class EvidenceCheck implements Check {

    @Override
    public void judge(Facts facts, Findings findings) {
        List<Entry.Batch> batches = new ArrayList<>(facts.history().of(Entry.Batch.class));
        batches.sort(Comparator.comparingLong(Entry.Batch::batch));
        judgeNumbers(batches, facts, findings);
        Map<UUID, Long> proved = judgeIds(batches, facts, findings);
        for (Topic topic : facts.topics().values()) {
            judge(topic, proved, facts, findings);
        }
    }

    /**
     * Numbers are consecutive but for one case: a repair proves a batch that lacks its evidence under later numbers. It
     * is a leader with a fence of its own, and each leader leaves one batch unproved at most. A database that was
     * promoted may lack the evidence of any number of batches; then, too, the next one has a higher fence.
     */
    private static void judgeNumbers(List<Entry.Batch> batches, Facts facts, Findings findings) {
        long number = 0;
        long fence = 0;
        for (Entry.Batch batch : batches) {
            findings.looked(Invariant.EVIDENCE, 1);
            long missing = batch.batch() - number - 1;
            long leaders = Math.max(0, batch.fence() - fence);
            boolean excused =
                    leaders > 0 && (missing <= leaders || facts.run().expected().databaseMayLose());
            if (missing < 0) {
                findings.add(Invariant.EVIDENCE, "a number of a batch is given out twice, or below 1", summary(batch));
            } else if (missing > 0 && !excused) {
                findings.add(
                        Invariant.EVIDENCE,
                        "numbers of batches are missing before a batch",
                        missing + " before " + summary(batch));
            }
            number = batch.batch();
            fence = Math.max(fence, batch.fence());
        }
    }

    private static Map<UUID, Long> judgeIds(List<Entry.Batch> batches, Facts facts, Findings findings) {
        Map<UUID, Long> proved = new HashMap<>();
        for (Entry.Batch batch : batches) {
            for (UUID id : batch.ids()) {
                Long before = proved.putIfAbsent(id, batch.batch());
                if (before != null) {
                    findings.add(
                            Invariant.EVIDENCE,
                            "a message is in the evidence twice",
                            "message " + id + " in batches " + before + " and " + batch.batch());
                } else if (!isDealtWith(id, facts)) {
                    findings.add(
                            Invariant.EVIDENCE,
                            "a message is in the evidence and on no topic",
                            "message " + id + " in " + summary(batch));
                }
            }
        }
        return proved;
    }

    private static boolean isDealtWith(UUID id, Facts facts) {
        Message message = facts.messages().find(id);
        boolean refused = message != null && message.staged().refused();
        return refused || facts.isOnAnyTopic(id) || facts.isQuarantined(id);
    }

    /** From the end of each partition, so that it is known of a record whether a later one is proved. */
    private static void judge(Topic topic, Map<UUID, Long> proved, Facts facts, Findings findings) {
        List<Entry.Published> records = topic.records();
        boolean laterProved = false;
        int partition = -1;
        for (int i = records.size() - 1; i >= 0; i--) {
            Entry.Published record = records.get(i);
            laterProved &= record.partition() == partition;
            partition = record.partition();
            UUID id = record.id();
            Message message = facts.messages().find(id);
            if (id == null || message == null || !message.mayBeSeen()) {
                continue;
            }
            findings.looked(Invariant.EVIDENCE, 1);
            if (proved.containsKey(id)) {
                laterProved = true;
            } else if (!mayLackEvidence(message, laterProved, facts)) {
                findings.add(
                        Invariant.EVIDENCE,
                        "a record's message is in no batch of the evidence",
                        record + ", " + message);
            }
        }
    }

    /**
     * A database that lost the message lost its evidence. And a relay that is halted proves no more what it found
     * published and not proved: the last of each partition.
     */
    private static boolean mayLackEvidence(Message message, boolean laterProved, Facts facts) {
        boolean forgotten = message.fate() == Message.Fate.FORGOTTEN;
        return forgotten || (facts.isHaltExpected() && !laterProved);
    }

    /** Without its ids, which may be thousands. */
    static String summary(Entry.Batch batch) {
        return "batch " + batch.batch() + " of fence " + batch.fence() + ", completed at " + batch.completedAt() + ", "
                + batch.ids().size() + " messages";
    }
}

package dev.posthaste.consumer.internal;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.kafka.clients.consumer.ConsumerRecord;

import dev.posthaste.consumer.HungDelivery;
import dev.posthaste.consumer.inbox.Verdict;

/** What the functions of one handler have in hand at this moment, for its health. Thread-safe. */
final class Running {

    private final String handler;
    private final Duration hungAfter;
    private final Clock clock;
    private final Set<Entry> entries = ConcurrentHashMap.newKeySet();

    /**
     * Makes an empty one.
     *
     * @param hungAfter after what time in the function a message is named as hung
     */
    Running(String handler, Duration hungAfter, Clock clock) {
        this.handler = handler;
        this.hungAfter = hungAfter;
        this.clock = clock;
    }

    /** One message in the handler's function, until its end. */
    final class Entry {

        private final Task<?> task;
        private final int attempt;
        private final Instant since = clock.instant();
        private volatile boolean givenUp;

        private Entry(Task<?> task, int attempt) {
            this.task = task;
            this.attempt = attempt;
        }

        /** Its outcome is no longer waited for. */
        void giveUp() {
            givenUp = true;
        }

        private boolean isHung() {
            return givenUp || Duration.between(since, clock.instant()).compareTo(hungAfter) >= 0;
        }

        private HungDelivery hung() {
            ConsumerRecord<byte[], byte[]> record = task.record();
            return new HungDelivery(
                    handler,
                    record.topic(),
                    record.partition(),
                    record.offset(),
                    task.event().id(),
                    attempt,
                    since,
                    givenUp);
        }

        /** The function has come back. */
        void end() {
            entries.remove(this);
        }
    }

    Entry begin(Task<?> task, Verdict.Run run) {
        Entry entry = new Entry(task, run.attempt());
        entries.add(entry);
        return entry;
    }

    /** How many calls hang that nobody waits for. */
    int givenUp() {
        return (int) entries.stream().filter(entry -> entry.givenUp).count();
    }

    /** Those that hang, the longest first. */
    List<HungDelivery> hung() {
        return entries.stream()
                .filter(Entry::isHung)
                .map(Entry::hung)
                .sorted(Comparator.comparing(HungDelivery::since))
                .toList();
    }
}

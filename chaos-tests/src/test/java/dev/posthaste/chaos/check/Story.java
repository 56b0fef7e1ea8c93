package dev.posthaste.chaos.check;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.History;

/**
 * A history that is told by hand: a run in which everything went well though much was broken, to be changed until
 * something is wrong with it. A change that changes nothing is an error.
 */
final class Story {

    static final String LEDGER = "ledger";
    static final String SEARCH = "search";
    static final String MAILER = "mailer";
    static final List<String> HANDLERS = List.of(LEDGER, SEARCH, MAILER);

    static final Entry.Bounds BOUNDS = new Entry.Bounds(5_000, 200_000_000, 16_000_000);
    static final Entry.Expected HEALTHY = new Entry.Expected(null, false);

    /** Transactions to plant something in. */
    static final int PLAIN = 10;

    static final int ROLLED_BACK = 13;
    static final int WITH_SAVEPOINT = 15;
    static final int UNKNOWN_STORED = 41;
    static final int UNKNOWN_NOT_STORED = 42;
    static final int WITH_REFUSED = 51;
    static final int WITH_DEAD_LETTER = 56;
    static final int BEFORE_FAULT = 34;
    static final int FIRST_AFTER_HEAL = 81;
    static final int LAST = 119;

    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");
    private static final int HEAL_AT = 80;
    private static final int KEYS = 8;
    private static final int BATCH = 10;
    /** From here on another leader publishes. */
    private static final int SECOND_LEADER_FROM = 60;

    final List<Entry> entries = new ArrayList<>();
    private final Map<String, Long> numbers = new HashMap<>();
    private final Map<String, Long> offsets = new HashMap<>();
    private long place;

    /** The healthy run. */
    static Story healthy() {
        return new Story().tell();
    }

    /** A time in it, by the number of the transaction that ended then. */
    static Instant at(int tx) {
        return START.plusMillis(tx * 100L);
    }

    /** Near the place where the lower half of an LSN overflows. */
    static String lsn(int tx) {
        long bits = 0xFFFF_0000L + tx * 0x1000L;
        return String.format(Locale.ROOT, "%X/%X", bits >>> 32, bits & 0xFFFF_FFFFL);
    }

    private Story tell() {
        entries.add(new Entry.Run(
                "story",
                7,
                START,
                Map.of("java", "17"),
                List.of(
                        new Entry.HandlerKind(LEDGER, true, true),
                        new Entry.HandlerKind(SEARCH, true, false),
                        new Entry.HandlerKind(MAILER, false, false)),
                HEALTHY,
                BOUNDS));
        phases();
        entries.add(new Entry.Fault(at(36), "kill relay-1", true, "its process is gone"));
        entries.add(new Entry.Fault(at(50).plusMillis(50), "cut relay-2 off", true, "its gauge of Kafka is 0"));
        for (int tx = 1; tx <= LAST; tx++) {
            transaction(tx);
        }
        batches();
        entries.add(new Entry.Sample(at(20), 40L, 3L, 100L, 9_000_000L, 90_000_000L, List.of("streaming")));
        entries.add(new Entry.Sample(at(60), null, null, null, 90_000_000L, 120_000_000L, List.of("standby")));
        entries.add(new Entry.Sample(at(125), 240L, 0L, 470L, 20_000_000L, null, List.of("streaming")));
        entries.add(new Entry.Sample(at(130), 240L, 0L, 470L, 1_000_000L, 80_000_000L, List.of("streaming")));
        entries.add(new Entry.End(at(140), true, null, lsn(LAST + 1), 3));
        return this;
    }

    private void phases() {
        entries.add(new Entry.Phase(at(0), "steady"));
        entries.add(new Entry.Phase(at(35), "fault"));
        entries.add(new Entry.Phase(at(HEAL_AT), "heal"));
        entries.add(new Entry.Phase(at(LAST + 1), "drain"));
        entries.add(new Entry.Phase(at(135), "done"));
    }

    private void transaction(int tx) {
        boolean rolledBack = tx % 10 == ROLLED_BACK % 10;
        boolean unknown = tx == UNKNOWN_STORED || tx == UNKNOWN_NOT_STORED;
        boolean committed = !rolledBack && tx != UNKNOWN_NOT_STORED;
        List<Entry.Staged> messages = new ArrayList<>();
        Map<String, Long> before = Map.copyOf(numbers);
        if (tx % 10 == WITH_SAVEPOINT % 10) {
            messages.add(stage(tx, messages.size(), true, false));
        }
        for (int i = 0; i <= 1 + tx % 3; i++) {
            messages.add(stage(tx, messages.size(), false, false));
        }
        if (tx == WITH_REFUSED) {
            messages.add(stage(tx, messages.size(), false, true));
        }
        entries.add(new Entry.Intent(tx, at(tx).minusMillis(20), messages));
        Entry.Result result =
                unknown ? Entry.Result.UNKNOWN : rolledBack ? Entry.Result.ROLLED_BACK : Entry.Result.COMMITTED;
        entries.add(new Entry.Outcome(tx, at(tx), result, result == Entry.Result.COMMITTED ? lsn(tx) : null));
        if (!committed) {
            numbers.clear();
            numbers.putAll(before);
            return;
        }
        messages.stream().filter(message -> !message.undone()).forEach(message -> {
            entries.add(new Entry.Stored(message.id()));
            if (message.refused()) {
                setAside(message, tx);
            } else {
                HANDLERS.forEach(handler -> deliver(handler, message, tx));
            }
        });
    }

    private Entry.Staged stage(int tx, int index, boolean undone, boolean refused) {
        String key = "key-" + (tx + index) % KEYS;
        long number = numbers.getOrDefault(key, 0L) + 1;
        if (!undone) {
            numbers.put(key, number);
        }
        UUID id = id(tx, index);
        return new Entry.Staged(id, key, number, "sha-of-" + id, undone, refused);
    }

    static UUID id(int tx, int index) {
        return new UUID(tx, index);
    }

    private void setAside(Entry.Staged message, int tx) {
        entries.add(record(LEDGER, message, tx, true));
        entries.add(new Entry.Quarantined(message.id(), SEARCH, "quarantined", "too large"));
        entries.add(new Entry.Quarantined(message.id(), MAILER, "discarded", "too large"));
        entries.add(new Entry.Delivery(LEDGER, message.id(), "dead-letter", 0));
        entries.add(new Entry.DeadLetter(LEDGER, message.id(), "sha-of-nothing"));
    }

    private void deliver(String handler, Entry.Staged message, int tx) {
        entries.add(record(handler, message, tx, false));
        if (tx == WITH_DEAD_LETTER && handler.equals(SEARCH)) {
            entries.add(new Entry.Delivery(handler, message.id(), "dead-letter", 5));
            entries.add(new Entry.DeadLetter(handler, message.id(), message.sha256()));
            return;
        }
        if (tx == WITH_DEAD_LETTER && handler.equals(MAILER)) {
            entries.add(new Entry.Delivery(handler, message.id(), "discarded", 5));
            entries.add(new Entry.Call(handler, message.id().toString(), false, at(tx)));
            return;
        }
        entries.add(new Entry.Delivery(handler, message.id(), "completed", 1));
        if (handler.equals(MAILER)) {
            entries.add(new Entry.Call(handler, message.id().toString(), tx % 7 != 0, at(tx)));
            entries.add(new Entry.Call(handler, message.id().toString(), true, at(tx)));
        } else {
            entries.add(effect(handler, message, tx));
        }
    }

    Entry.Effect effect(String handler, Entry.Staged message, int tx) {
        return new Entry.Effect(handler, message.id(), message.key(), message.number(), ++place, at(tx).plusMillis(80));
    }

    /** A record of that message at the end of its key's partition. */
    Entry.Published record(String handler, Entry.Staged message, int tx, boolean marker) {
        int partition = message.key().hashCode() & 1;
        return new Entry.Published(
                handler,
                partition,
                offsets.merge(handler + partition, 1L, Long::sum),
                message.id(),
                message.key(),
                message.sha256(),
                marker,
                at(tx).plusMillis(30));
    }

    private void batches() {
        List<UUID> ids = new ArrayList<>();
        of(Entry.Published.class).stream()
                .filter(record -> record.handler().equals(LEDGER))
                .forEach(record -> ids.add(record.id()));
        long number = 1;
        for (int i = 0; i < ids.size(); i += BATCH) {
            List<UUID> batch = ids.subList(i, Math.min(ids.size(), i + BATCH));
            int lastTx = (int) batch.get(batch.size() - 1).getMostSignificantBits();
            long fence = lastTx < SECOND_LEADER_FROM ? 1 : 3;
            entries.add(new Entry.Batch(number++, fence, at(lastTx).plusMillis(50), List.copyOf(batch)));
        }
    }

    <T extends Entry> List<T> of(Class<T> kind) {
        return history().of(kind);
    }

    /** The last message of a transaction; none of these is undone. */
    Entry.Staged message(int tx) {
        return only(Entry.Intent.class, intent -> intent.tx() == tx).messages().stream()
                .reduce((first, second) -> second)
                .orElseThrow();
    }

    /** The first message of a transaction. */
    Entry.Staged firstMessage(int tx) {
        return only(Entry.Intent.class, intent -> intent.tx() == tx).messages().get(0);
    }

    <T extends Entry> T only(Class<T> kind, Predicate<T> which) {
        List<T> found = of(kind).stream().filter(which).toList();
        if (found.size() != 1) {
            throw new IllegalArgumentException(found.size() + " instead of one " + kind.getSimpleName());
        }
        return found.get(0);
    }

    /** Adds entries before the end. */
    Story with(Entry... more) {
        entries.addAll(entries.size() - 1, List.of(more));
        return this;
    }

    /** Takes out all of these; at least one. */
    <T extends Entry> Story without(Class<T> kind, Predicate<T> which) {
        if (!entries.removeIf(entry -> kind.isInstance(entry) && which.test(kind.cast(entry)))) {
            throw new IllegalArgumentException("no " + kind.getSimpleName() + " to take out");
        }
        return this;
    }

    /** Changes all of these; at least one. */
    <T extends Entry> Story change(Class<T> kind, Predicate<T> which, UnaryOperator<T> how) {
        List<Entry> before = List.copyOf(entries);
        entries.replaceAll(
                entry -> kind.isInstance(entry) && which.test(kind.cast(entry)) ? how.apply(kind.cast(entry)) : entry);
        if (entries.equals(before)) {
            throw new IllegalArgumentException("no " + kind.getSimpleName() + " is changed");
        }
        return this;
    }

    <T extends Entry> Story changeAll(Class<T> kind, UnaryOperator<T> how) {
        return change(kind, entry -> true, how);
    }

    /** A run that is to end so. */
    Story expecting(Entry.Expected expected) {
        return changeAll(
                Entry.Run.class,
                run -> new Entry.Run(
                        run.scenario(), run.seed(), run.at(), run.versions(), run.handlers(), expected, run.bounds()));
    }

    /** A run that is to halt with that cause, and did so without being drained. */
    Story halting(String cause) {
        return expecting(new Entry.Expected(cause, false))
                .changeAll(
                        Entry.End.class,
                        end -> new Entry.End(end.at(), false, cause, end.confirmedLsn(), end.leaseFence()));
    }

    /** The slot stands before the end of that transaction. */
    Story slotBefore(int tx) {
        return changeAll(
                Entry.End.class,
                end -> new Entry.End(end.at(), end.drained(), end.haltCause(), lsn(tx), end.leaseFence()));
    }

    /** The message never came to that handler. */
    Story withoutTraceAt(String handler, UUID id) {
        without(Entry.Published.class, record -> record.handler().equals(handler) && id.equals(record.id()));
        entries.removeIf(entry -> entry instanceof Entry.Delivery delivery
                        && delivery.handler().equals(handler)
                ? delivery.id().equals(id)
                : entry instanceof Entry.Effect effect && effect.handler().equals(handler)
                        ? effect.id().equals(id)
                        : entry instanceof Entry.Call call
                                && call.handler().equals(handler)
                                && call.idempotencyKey().equals(id.toString()));
        return this;
    }

    /** The message was never published. */
    Story withoutTrace(UUID id) {
        HANDLERS.forEach(handler -> withoutTraceAt(handler, id));
        return change(
                Entry.Batch.class,
                batch -> batch.ids().contains(id),
                batch -> new Entry.Batch(
                        batch.batch(),
                        batch.fence(),
                        batch.completedAt(),
                        batch.ids().stream().filter(other -> !other.equals(id)).toList()));
    }

    History history() {
        return new History(entries);
    }

    Verdict verdict() {
        return Checker.check(history());
    }

    /** Which invariants do not hold. */
    Set<Invariant> broken() {
        Set<Invariant> broken = new LinkedHashSet<>();
        verdict().findings().forEach(finding -> broken.add(finding.invariant()));
        return broken;
    }
}

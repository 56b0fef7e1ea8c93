package dev.posthaste.relay;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.OutboxRow;
import dev.posthaste.schemas.Payload;

/**
 * A made-up past of a database, in the order in which PostgreSQL streams it. Transaction ids collide, as they do once
 * they have wrapped. Transactions overlap: rows lie before the commits of earlier ones, and share places.
 */
final class ModelHistory {

    /** Where the slot was made; nothing before it is ever sent. */
    static final Lsn SLOT_MADE = new Lsn(1000);

    private static final long XIDS = 3;

    /**
     * What ends at a place: a commit, or a logical message outside transactions.
     *
     * @param begins where its commit record, or the message, begins; it is sent if that is not before the slot
     * @param ends where that record ends: what the engine calls the last commit from then on
     * @param rows outbox rows; of a message none
     * @param rowPlaces a place for each row
     * @param reported whether the engine reports something other than rows, too
     */
    record Entry(long xid, Lsn begins, Lsn ends, List<OutboxRow> rows, List<Lsn> rowPlaces, boolean reported) {}

    private final Random random;
    private final List<Entry> entries = new ArrayList<>();
    private long end = SLOT_MADE.value();
    private long numbered;

    private ModelHistory(Random random) {
        this.random = random;
    }

    static ModelHistory make(Random random) {
        ModelHistory history = new ModelHistory(random);
        int entries = 3 + random.nextInt(20);
        for (int n = 0; n < entries; n++) {
            history.append();
        }
        history.end += 10;
        history.message(true); // a last sign of life, after which everything is known to be over
        return history;
    }

    private void append() {
        long begins = end + random.nextInt(100);
        end = begins + 1 + random.nextInt(60);
        switch (random.nextInt(6)) {
            case 0 -> entry(begins, List.of(), random.nextBoolean()); // of other tables, or with messages inside
            case 1 -> entry(begins, List.of(), true);
            case 2 -> entry(begins, rows(20 + random.nextInt(30)), random.nextBoolean());
            default -> entry(begins, rows(1 + random.nextInt(4)), random.nextBoolean());
        }
    }

    private void message(boolean ours) {
        entry(end, List.of(), ours);
    }

    private void entry(long begins, List<OutboxRow> rows, boolean reported) {
        long place = Math.max(1, begins - random.nextInt(200));
        List<Lsn> places = new ArrayList<>();
        for (int n = 0; n < rows.size(); n++) {
            place += random.nextInt(3) == 0 ? random.nextInt(20) : 0;
            places.add(new Lsn(Math.min(place, begins)));
        }
        end = Math.max(end, begins + 1);
        entries.add(new Entry(1 + random.nextLong(XIDS), new Lsn(begins), new Lsn(end), rows, places, reported));
    }

    private List<OutboxRow> rows(int count) {
        List<OutboxRow> rows = new ArrayList<>();
        for (int n = 0; n < count; n++) {
            rows.add(row());
        }
        return rows;
    }

    private OutboxRow row() {
        String padding = random.nextInt(15) == 0 ? "x".repeat(8_000) : "";
        return new OutboxRow(
                new UUID(0, ++numbered),
                "integration-event",
                Outbox.TYPE,
                1,
                "key",
                "",
                Instant.EPOCH,
                "application/json",
                new Payload.Json("\"" + padding + "\""),
                null,
                Instant.EPOCH.plusMillis(numbered));
    }

    /** What is sent from a slot that stands there. */
    List<Entry> from(Lsn slot) {
        return entries.stream().filter(entry -> !entry.begins().isBefore(slot)).toList();
    }

    /** The ids of all committed rows, in commit order. */
    List<UUID> ids() {
        return ids(entries);
    }

    /** The ids of the rows that a slot there would never send again. */
    List<UUID> idsBefore(Lsn slot) {
        return ids(
                entries.stream().filter(entry -> entry.begins().isBefore(slot)).toList());
    }

    /** Whether the first so many committed rows end within a transaction. */
    boolean isInsideTransaction(int rows) {
        int counted = 0;
        for (Entry entry : entries) {
            if (rows > counted && rows < counted + entry.rows().size()) {
                return true;
            }
            counted += entry.rows().size();
        }
        return false;
    }

    private static List<UUID> ids(List<Entry> entries) {
        return entries.stream()
                .flatMap(entry -> entry.rows().stream())
                .map(OutboxRow::id)
                .toList();
    }

    /** Where the last entry ends. */
    Lsn end() {
        return new Lsn(end);
    }
}

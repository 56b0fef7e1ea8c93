package dev.posthaste.relay.doctor;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.posthaste.relay.source.SlotState;

/** The slot, beside what the relay itself refuses before it streams. */
final class SlotExam {

    private static final long RETAINED_BYTES_MAX = 4L * 1024 * 1024 * 1024;

    private final Query query;
    private final String slot;

    SlotExam(Query query, String slot) {
        this.query = query;
        this.slot = slot;
    }

    List<Finding> examine(Optional<SlotState> found) throws SQLException {
        if (found.isEmpty()) {
            return List.of(Finding.error(
                    "slot",
                    slot + " does not exist",
                    "nothing is relayed, and what is committed now would be missed by a new slot",
                    "posthaste init for a new outbox; posthaste repair for one that published"));
        }
        SlotState state = found.get();
        List<Finding> findings = new ArrayList<>();
        findings.add(
                state.isUsable()
                        ? Finding.ok("slot", slot + " at " + state.confirmed())
                        : Finding.error(
                                "slot",
                                slot + " has wal_status " + state.walStatus() + ", invalidation_reason "
                                        + state.invalidationReason(),
                                "the server has given it up and no longer holds its WAL",
                                "posthaste repair"));
        findings.add(
                state.plugin().equals("pgoutput")
                        ? Finding.ok("slot.plugin", state.plugin())
                        : Finding.error(
                                "slot.plugin",
                                state.plugin(),
                                "the relay reads pgoutput",
                                "give the relay a slot of its own"));
        findings.add(
                query.isTrue("SELECT failover FROM pg_replication_slots WHERE slot_name = ?", slot)
                        ? Finding.ok("slot.failover", "on")
                        : Finding.warning(
                                "slot.failover",
                                "off",
                                "a promoted standby will not have the slot: a failover becomes a gap",
                                "ALTER_REPLICATION_SLOT " + slot
                                        + " (FAILOVER true) on a replication connection while no relay runs"));
        findings.add(standbys());
        findings.add(
                state.retainedWalBytes() <= RETAINED_BYTES_MAX
                        ? Finding.ok("slot.retained", state.retainedWalBytes() / (1024 * 1024) + " MiB of WAL")
                        : Finding.warning(
                                "slot.retained",
                                state.retainedWalBytes() / (1024 * 1024) + " MiB of WAL",
                                "the slot is far behind: the disk fills, and beyond max_slot_wal_keep_size the slot is lost",
                                "see posthaste status for what waits, and whether a long transaction is open"));
        return findings;
    }

    private Finding standbys() throws SQLException {
        String waitsFor = query.setting("synchronized_standby_slots");
        return !waitsFor.isEmpty()
                        || query.isTrue(
                                "SELECT NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_type = ?)", "physical")
                ? Finding.ok(
                        "server.synchronized_standby_slots", waitsFor.isEmpty() ? "no standby has a slot" : waitsFor)
                : Finding.warning(
                        "server.synchronized_standby_slots",
                        "empty, but a standby has a slot",
                        "a message may be published before the standby has its transaction; if the standby is promoted then,"
                                + " the relay halts and a person must rebase it",
                        "ALTER SYSTEM SET synchronized_standby_slots = 'the standby''s physical slot'; SELECT pg_reload_conf()");
    }
}

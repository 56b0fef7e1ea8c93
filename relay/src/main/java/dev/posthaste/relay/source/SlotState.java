package dev.posthaste.relay.source;

import org.jspecify.annotations.Nullable;

/**
 * What {@code pg_replication_slots} says of our slot.
 *
 * @param plugin output plugin; ours is pgoutput
 * @param confirmed everything before it was acknowledged; null: unusable
 * @param restart oldest WAL the slot still holds; null: none
 * @param activePid process of the walsender that streams from it; null: nobody does
 * @param walStatus reserved, extended, unreserved or lost
 * @param invalidationReason why the server gave the slot up; null: it did not
 * @param retainedWalBytes how much WAL the slot holds back
 */
public record SlotState(
        String plugin,
        @Nullable Lsn confirmed,
        @Nullable Lsn restart,
        @Nullable Integer activePid,
        @Nullable String walStatus,
        @Nullable String invalidationReason,
        long retainedWalBytes) {

    /** Whether the server can still stream from it. */
    public boolean isUsable() {
        return confirmed != null && invalidationReason == null && !"lost".equals(walStatus);
    }
}

package dev.posthaste.relay.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.source.SlotState;
import dev.posthaste.relay.status.OutboxStatus;

/** Lays the status out for a person. */
final class StatusScreen {

    private StatusScreen() {}

    static List<String> lines(RelaySettings settings, OutboxStatus status) {
        List<String> lines = new ArrayList<>();
        lines.add(row("outbox", settings.namespace() + " in " + settings.database() + ", slot " + settings.slot()));
        lines.add(row("leader", leader(status)));
        lines.add(row("position", position(status)));
        lines.add(row("lag", lag(status.lag())));
        lines.add(row("set aside", quarantined(status.quarantined())));
        lines.add(row("slot", slot(status)));
        lines.add("");
        lines.add(String.format(Locale.ROOT, "%-40s %10s %14s", "topic", "partitions", "end offsets"));
        for (OutboxStatus.TopicStatus topic : status.topics()) {
            lines.add(
                    topic.exists()
                            ? String.format(
                                    Locale.ROOT,
                                    "%-40s %10d %14d",
                                    topic.name(),
                                    topic.partitions(),
                                    topic.endOffsets())
                            : String.format(Locale.ROOT, "%-40s %s", topic.name(), "missing: run posthaste init"));
        }
        return lines;
    }

    private static String row(String name, String text) {
        return String.format(Locale.ROOT, "%-9s %s", name, text);
    }

    private static String leader(OutboxStatus status) {
        return status.leader()
                .map(leader -> leader.expired()
                        ? "none; the last was " + leader.owner() + " with fence " + leader.fence()
                        : leader.owner() + ", fence " + leader.fence() + ", since " + leader.since())
                .orElse("none yet");
    }

    private static String position(OutboxStatus status) {
        return status.position()
                .map(StatusScreen::position)
                .orElse("none: run posthaste init for a new outbox, posthaste repair for one that published");
    }

    private static String position(Position position) {
        Position.InProgress inProgress = position.inProgress();
        return "batch " + position.batch() + ", all up to " + position.lastCommit()
                + (inProgress == null
                        ? ""
                        : " and " + inProgress.rows() + " messages of transaction " + inProgress.xid())
                + ", written under fence " + position.fence();
    }

    private static String lag(OutboxStatus.Lag lag) {
        return lag.messages() == 0
                ? "nothing waits"
                : lag.messages() + " messages wait, the oldest for "
                        + lag.oldest().toSeconds() + " s";
    }

    private static String quarantined(OutboxStatus.Quarantined quarantined) {
        return quarantined.failed() + quarantined.deadLetters() == 0
                ? "nothing"
                : quarantined.failed() + " failed and tried again, " + quarantined.deadLetters()
                        + " dead letters: posthaste quarantine list";
    }

    private static String slot(OutboxStatus status) {
        return status.slot().map(StatusScreen::slot).orElse("missing");
    }

    private static String slot(SlotState slot) {
        return (slot.activePid() == null ? "idle" : "streamed by walsender " + slot.activePid()) + ", confirmed "
                + slot.confirmed()
                + ", holds back " + HumanSize.format(slot.retainedWalBytes()) + " of WAL (" + slot.walStatus()
                + (slot.invalidationReason() == null ? "" : ", invalidated: " + slot.invalidationReason()) + ")";
    }
}

package dev.posthaste.relay;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.PositionTracker;
import dev.posthaste.relay.publishing.RefusedException;
import dev.posthaste.relay.routing.RoutedMessage;
import dev.posthaste.relay.routing.Router;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.OutboxRow;

/** The messages of the next Kafka transaction and the place after the last of them. Confined to the source's thread. */
final class Batch {

    private final RelaySettings.Bounds bounds;
    private final List<RoutedMessage> messages = new ArrayList<>();
    private long bytes;
    private Lsn lastCommit = Lsn.NONE;
    private Position.@Nullable InProgress inProgress;

    Batch(RelaySettings.Bounds bounds) {
        this.bounds = bounds;
    }

    void add(RoutedMessage message) {
        messages.add(message);
        bytes += message.sizeBytes();
    }

    void add(RoutedMessage message, PositionTracker tracker) {
        add(message);
        lastCommit = tracker.lastCommit();
        inProgress = tracker.inProgress();
    }

    /** Takes the copy for one handler out, since Kafka refuses it; returns its row. */
    OutboxRow withhold(RefusedException.Refused refused, Router router) {
        for (int i = 0; i < messages.size(); i++) {
            RoutedMessage message = messages.get(i);
            if (message.row().id().equals(refused.messageId())
                    && message.topics().contains(refused.topic())) {
                messages.set(i, router.withhold(message, refused.topic()));
                return message.row();
            }
        }
        throw new IllegalStateException("Kafka refused message " + refused.messageId() + " on " + refused.topic()
                + ", which is not in the batch, or whose marker is refused as well: " + refused.error());
    }

    /** Whether a copy of any of its messages is quarantined instead of published. */
    boolean withholds() {
        return messages.stream().anyMatch(RoutedMessage::withheld);
    }

    boolean isEmpty() {
        return messages.isEmpty();
    }

    /** Whether another message must wait for the next transaction. One message always fits, however large. */
    boolean isFull() {
        return messages.size() >= bounds.messages() || bytes >= bounds.bytes();
    }

    List<RoutedMessage> messages() {
        return messages;
    }

    List<OutboxRow> rows() {
        return messages.stream().map(RoutedMessage::row).toList();
    }

    /** The position once this batch is published after the one before, and the slot may move up to {@code ack}. */
    Position after(Position before, long fence, Lsn ack) {
        return new Position(
                before.source(),
                fence,
                before.batch() + 1,
                messages.size(),
                lastCommit,
                inProgress,
                before.ack().max(ack),
                messages.get(messages.size() - 1).row().id(),
                false);
    }
}

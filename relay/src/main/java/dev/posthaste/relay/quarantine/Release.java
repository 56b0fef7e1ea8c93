package dev.posthaste.relay.quarantine;

import java.sql.Connection;
import java.util.List;

import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.relay.publishing.RefusedException;
import dev.posthaste.relay.routing.RoutedMessage;
import dev.posthaste.relay.routing.Router;
import dev.posthaste.relay.routing.Unpublishable;
import dev.posthaste.relay.routing.UnroutableException;
import dev.posthaste.relay.source.OutboxRow;
import dev.posthaste.relay.source.OutboxTable;

/**
 * Publishes a quarantined message after all, with its id and bytes, marked as released: it comes outside the commit
 * order. If the process dies after the commit in Kafka and before that of the row, the message is still quarantined and
 * may be released once more; its id lets the handler's inbox skip the second.
 */
public final class Release implements QuarantineDesk.Resolution {

    private final Connection connection;
    private final Router router;
    private final KafkaPublisher publisher;

    /** Reads messages on that connection, and publishes them with a publisher of its own transactional id. */
    public Release(Connection connection, Router router, KafkaPublisher publisher) {
        this.connection = connection;
        this.router = router;
        this.publisher = publisher;
    }

    @Override
    public void apply(QuarantinedMessage quarantined) throws Exception {
        OutboxRow row = OutboxTable.find(connection, quarantined.messageId(), quarantined.createdAt())
                .orElseThrow(() -> new StillUnpublishableException(
                        quarantined, "the message is no longer in outbox.message: retention has dropped it"));
        RoutedMessage message;
        try {
            message = router.route(row).only(topicOf(quarantined)).marked("release");
        } catch (UnroutableException e) {
            throw new StillUnpublishableException(quarantined, e.faults().get(0).error());
        }
        if (message.topics().isEmpty()) {
            throw new StillUnpublishableException(quarantined, "by the catalog, no such handler reads it");
        }
        try {
            publisher.publishReleased(List.of(message));
        } catch (RefusedException e) {
            throw new StillUnpublishableException(
                    quarantined, e.refused().get(0).error());
        }
    }

    private String topicOf(QuarantinedMessage quarantined) {
        return quarantined.handler().equals(Unpublishable.EVERY_HANDLER)
                ? Unpublishable.EVERY_HANDLER
                : router.topic(quarantined.handler());
    }
}

package dev.posthaste.relay.quarantine;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.posthaste.relay.routing.RoutedMessage;
import dev.posthaste.relay.routing.Router;
import dev.posthaste.relay.routing.Unpublishable;
import dev.posthaste.relay.routing.UnroutableException;
import dev.posthaste.relay.source.OutboxRow;
import dev.posthaste.relay.source.OutboxTable;

/**
 * Makes of a quarantined message what is published when it is released, by an operator or by the relay: the row of the
 * table, with its id and bytes, for that handler alone, and marked, since it comes outside the commit order.
 */
final class ReleaseRoute {

    private final Router router;

    ReleaseRoute(Router router) {
        this.router = router;
    }

    /**
     * Reads and routes it.
     *
     * @throws StillUnpublishableException if it cannot be published by what catalog and topics say now
     */
    RoutedMessage of(QuarantinedMessage quarantined, Connection connection)
            throws SQLException, StillUnpublishableException {
        OutboxRow row = OutboxTable.find(connection, quarantined.messageId(), quarantined.createdAt())
                .orElseThrow(() -> new StillUnpublishableException(
                        quarantined, "the message is no longer in outbox.message: retention has dropped it"));
        RoutedMessage message = route(quarantined, row);
        List<Unpublishable> closed = router.closedTo(message);
        if (!closed.isEmpty()) {
            throw new StillUnpublishableException(
                    quarantined, closed.get(0).cause(), closed.get(0).error());
        }
        if (message.topics().isEmpty()) {
            throw new StillUnpublishableException(quarantined, "by the catalog, no such handler reads it");
        }
        return message;
    }

    private RoutedMessage route(QuarantinedMessage quarantined, OutboxRow row) throws StillUnpublishableException {
        try {
            return router.route(row).only(topicOf(quarantined)).marked("release");
        } catch (UnroutableException e) {
            Unpublishable fault = e.faults().get(0);
            throw new StillUnpublishableException(quarantined, fault.cause(), fault.error());
        }
    }

    private String topicOf(QuarantinedMessage quarantined) {
        return quarantined.handler().equals(Unpublishable.EVERY_HANDLER)
                ? Unpublishable.EVERY_HANDLER
                : router.topic(quarantined.handler());
    }
}

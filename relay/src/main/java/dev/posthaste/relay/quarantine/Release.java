package dev.posthaste.relay.quarantine;

import java.sql.Connection;
import java.util.List;

import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.relay.publishing.RefusedException;
import dev.posthaste.relay.routing.Router;

/**
 * Publishes a quarantined message after all, with its id and bytes, marked as released: it comes outside the commit
 * order. If the process dies after the commit in Kafka and before that of the row, the message is still quarantined and
 * may be released once more; its id lets the handler's inbox skip the second.
 */
public final class Release implements QuarantineDesk.Resolution {

    private final Connection connection;
    private final ReleaseRoute route;
    private final KafkaPublisher publisher;

    /** Reads messages on that connection, and publishes them with a publisher of its own transactional id. */
    public Release(Connection connection, Router router, KafkaPublisher publisher) {
        this.connection = connection;
        this.route = new ReleaseRoute(router);
        this.publisher = publisher;
    }

    @Override
    public void apply(QuarantinedMessage quarantined) throws Exception {
        try {
            publisher.publishReleased(List.of(route.of(quarantined, connection)));
        } catch (RefusedException e) {
            RefusedException.Refused refused = e.refused();
            throw new StillUnpublishableException(quarantined, refused.cause(), refused.error());
        }
    }
}

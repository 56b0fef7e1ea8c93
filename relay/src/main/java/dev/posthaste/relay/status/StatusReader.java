package dev.posthaste.relay.status;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;

import dev.posthaste.relay.HaltException;
import dev.posthaste.relay.HaltReason;
import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.PositionStore;
import dev.posthaste.relay.source.SlotState;
import dev.posthaste.relay.source.SourceDatabase;
import dev.posthaste.schemas.catalog.Catalog;

/** Reads the status of one outbox. */
public final class StatusReader {

    private final RelaySettings settings;

    /** Reads with these settings. */
    public StatusReader(RelaySettings settings) {
        this.settings = settings;
    }

    /**
     * Reads everything once.
     *
     * @throws HaltException if the database has no outbox, or the position cannot be read by this version
     * @throws SQLException if PostgreSQL cannot be read
     * @throws org.apache.kafka.common.KafkaException if Kafka cannot be read
     */
    public OutboxStatus read(Catalog catalog) throws SQLException, HaltException, InterruptedException {
        try (Connection connection = settings.database().connect("posthaste-status");
                TopicReader topics = new TopicReader(settings.kafka(), settings.requestTimeout())) {
            requireTables(connection);
            Optional<SlotState> slot = new SourceDatabase(connection).slot(settings.slot());
            Optional<OutboxStatus.Leader> leader = leader(connection);
            OutboxStatus.Lag lag = lag(connection);
            List<OutboxStatus.TopicStatus> statuses = topics.read(settings.namespace(), catalog);
            return new OutboxStatus(leader, position(), slot, lag, quarantined(connection), statuses);
        }
    }

    private void requireTables(Connection connection) throws SQLException, HaltException {
        try (PreparedStatement query = connection.prepareStatement("SELECT to_regclass('relay.topic') IS NOT NULL");
                ResultSet row = query.executeQuery()) {
            row.next();
            if (!row.getBoolean(1)) {
                throw new HaltException(
                        HaltReason.Cause.SOURCE_NOT_REGISTERED,
                        "database " + settings.database() + " has no outbox, or one of an older version",
                        "run `posthaste init`, or correct database.url");
            }
        }
    }

    private Optional<Position> position() {
        return new PositionStore(settings.publisher()).read();
    }

    private Optional<OutboxStatus.Leader> leader(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT owner, fence, acquired_at, expires_at <= clock_timestamp() FROM relay.lease WHERE slot = ?")) {
            query.setString(1, settings.slot());
            try (ResultSet row = query.executeQuery()) {
                return row.next()
                        ? Optional.of(new OutboxStatus.Leader(
                                row.getString(1),
                                row.getLong(2),
                                row.getObject(3, OffsetDateTime.class).toInstant(),
                                row.getBoolean(4)))
                        : Optional.empty();
            }
        }
    }

    private static OutboxStatus.Lag lag(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                        "SELECT messages, coalesce(extract(epoch FROM clock_timestamp() - oldest_created_at), 0)::float8 "
                                + "FROM outbox.pending_summary()");
                ResultSet row = query.executeQuery()) {
            row.next();
            return new OutboxStatus.Lag(row.getLong(1), Duration.ofMillis((long) (row.getDouble(2) * 1000)));
        }
    }

    private static OutboxStatus.Quarantined quarantined(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                        "SELECT count(next_attempt), count(*) - count(next_attempt) FROM outbox.quarantined WHERE state = 'quarantined'");
                ResultSet row = query.executeQuery()) {
            row.next();
            return new OutboxStatus.Quarantined(row.getLong(1), row.getLong(2));
        }
    }
}

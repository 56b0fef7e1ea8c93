package dev.posthaste.relay.setup;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.publishing.HandlerTopics;
import dev.posthaste.relay.publishing.PartitionMemory;
import dev.posthaste.schemas.catalog.Catalog;

/**
 * Makes everything a relay needs, in the order in which nothing can be lost between the steps, and leaves alone what is
 * there. Safe to run again at any time, also beside a running relay.
 */
public final class Initializer {

    private final RelaySettings settings;
    private final Consumer<StepResult> report;

    /**
     * Prepares the steps.
     *
     * @param settings of the relay to come; its role must be allowed to make tables, roles, slots and topics
     * @param report told of each step when it is done
     */
    public Initializer(RelaySettings settings, Consumer<StepResult> report) {
        this.settings = settings;
        this.report = report;
    }

    /**
     * What may be chosen.
     *
     * @param partitions of each handler topic made
     * @param replicationFactor of each topic made; empty: the broker's default
     * @param leaveEarlier whether messages staged before the slot may be left unpublished
     * @param acceptPartitions whether topics with another number of partitions than first seen are right as they are
     */
    public record Choices(
            int partitions, Optional<Short> replicationFactor, boolean leaveEarlier, boolean acceptPartitions) {

        /** Without accepting another number of partitions. */
        public Choices(int partitions, Optional<Short> replicationFactor, boolean leaveEarlier) {
            this(partitions, replicationFactor, leaveEarlier, false);
        }
    }

    /**
     * Runs all steps.
     *
     * @throws SetupException if a step is refused, since going on would lose messages or hide a gap
     */
    public void run(Catalog catalog, Choices choices)
            throws SQLException, SetupException, FencedException, InterruptedException {
        TableSetup tables = new TableSetup(settings.database());
        tables.migrateOutbox().forEach(report);
        report.accept(tables.register(settings.slot(), settings.namespace()));
        PositionSetup positions = new PositionSetup(settings.publisher());
        boolean positionExists = positions.find().isPresent();
        SlotSetup.Made slot =
                new SlotSetup(settings.database(), settings.slot()).make(positionExists, choices.leaveEarlier());
        report.accept(slot.result());
        new TopicSetup(settings.kafka(), settings.namespace(), choices.partitions(), choices.replicationFactor())
                .make(catalog)
                .forEach(report);
        rememberPartitions(catalog, choices.acceptPartitions());
        boolean published = hasEvidence();
        if (!positionExists && !published && !slot.result().made() && !choices.leaveEarlier()) {
            refuseEarlier();
        }
        report.accept(positions.make(slot, published));
    }

    /** A slot that init did not make just now says nothing of what was staged before it: nobody counted. */
    private void refuseEarlier() throws SQLException, SetupException {
        try (Connection connection = settings.database().connect("posthaste-init");
                PreparedStatement query = connection.prepareStatement("SELECT messages FROM outbox.pending_summary()");
                ResultSet row = query.executeQuery()) {
            row.next();
            if (row.getLong(1) > 0) {
                throw new SetupException(row.getLong(1) + " messages wait, and slot " + settings.slot()
                        + " was there before this init: those staged before the slot would never be published. Run"
                        + " posthaste repair, which publishes them all, or leave those before the slot unpublished with"
                        + " --leave-earlier");
            }
        }
    }

    private void rememberPartitions(Catalog catalog, boolean accept) throws SQLException, InterruptedException {
        Map<String, Integer> counts = HandlerTopics.look(
                        settings.kafka(), settings.requestTimeout(), catalog.topics(settings.namespace()))
                .partitions();
        try (Connection connection = settings.database().connect("posthaste-init")) {
            PartitionMemory memory = new PartitionMemory(connection);
            Map<String, PartitionMemory.Changed> changed = accept ? memory.accept(counts) : memory.remember(counts);
            changed.forEach((topic, count) -> report.accept(
                    accept
                            ? StepResult.made("accepted " + count.now() + " partitions of topic " + topic + ", before "
                                    + count.first())
                            : StepResult.there("topic " + topic + " has " + count.now() + " partitions and had "
                                    + count.first() + " when it was first seen; see posthaste doctor")));
        }
    }

    private boolean hasEvidence() throws SQLException {
        try (Connection connection = settings.database().connect("posthaste-init");
                PreparedStatement query = connection.prepareStatement(
                        "SELECT EXISTS (SELECT FROM outbox.dispatch_batch WHERE slot = ?)")) {
            query.setString(1, settings.slot());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }
}

package dev.posthaste.relay.setup;

import java.util.Optional;

import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.publishing.AdminCalls;
import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.PositionStore;
import dev.posthaste.relay.publishing.PublisherSettings;

/** Writes the first position. It alone may: a relay that finds none halts. */
public final class PositionSetup {

    private final PublisherSettings settings;
    private final PositionStore store;

    /** Writes the position of that slot. */
    public PositionSetup(PublisherSettings settings) {
        this.settings = settings;
        this.store = new PositionStore(settings);
    }

    /** The position there is; empty as well while its topic does not exist. */
    public Optional<Position> find() throws InterruptedException {
        try (AdminCalls kafka = new AdminCalls(settings.kafka(), settings.requestTimeout())) {
            return kafka.call(admin -> admin.listTopics().names())
                            .contains(settings.namespace().positionTopic())
                    ? store.read()
                    : Optional.empty();
        }
    }

    /**
     * Writes the position where there is none.
     *
     * @param published whether evidence says that this outbox published before: then the position was lost, and a first
     *     one would hide it
     */
    public StepResult make(SlotSetup.Made slot, boolean published)
            throws SetupException, FencedException, InterruptedException {
        Optional<Position> found = find();
        if (found.isPresent()) {
            return StepResult.there("position after batch " + found.get().batch() + ", "
                    + found.get().lastCommit());
        }
        if (published) {
            throw new SetupException("there is evidence of published batches, but topic "
                    + settings.namespace().positionTopic() + " has no position for slot " + settings.slot()
                    + ": it was lost. See the runbook for missing positions");
        }
        // Nobody else publishes under this id: a relay without a position halts before it opens a transaction.
        try (KafkaPublisher publisher = KafkaPublisher.open(settings)) {
            publisher.publishPosition(Position.first(slot.identity(), slot.confirmed()));
        }
        return StepResult.made("first position, " + slot.confirmed());
    }
}

package dev.posthaste.relay;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.relay.lease.Lease;
import dev.posthaste.relay.lease.LeaseStore;
import dev.posthaste.relay.publishing.KafkaProbe;

/**
 * How a relay stands by: it looks often and cheaply whether the lease is free, asks Kafka whether it could publish, and
 * rehearses a term once, and then is ready. It takes the lease only when Kafka answered recently: so a relay that is
 * cut off leaves it to one that is not, and when Kafka is away from all of them nobody takes it, and the fence stays.
 * Confined to the relay's thread.
 */
final class Candidacy implements AutoCloseable {

    /** A look costs a SELECT; a leader that ends or crashes is noticed within it. */
    private static final Duration LOOK_EVERY_MAX = Duration.ofMillis(50);
    /** Of somebody who may not take the lease, only to know whether PostgreSQL is there. */
    private static final Duration LOOK_EVERY_CUT_OFF = Duration.ofMillis(500);

    /** Between two questions to a Kafka that is away. */
    private static final Duration ASK_FIRST = Duration.ofMillis(250);

    private static final Duration ASK_MAX = Duration.ofSeconds(5);

    private static final String OTHER_LEADS = "another relay leads";
    private static final String NO_ANSWER_YET = "Kafka has not answered yet";

    private final CompletableFuture<Void> stopRequested;
    private final Report report;
    private final RelayMeters meters;
    private final Rehearsal rehearsal;
    private final Duration lookEvery;
    private final KafkaProbe probe;
    private final KafkaReach kafka;
    private OptionalLong ledAt = OptionalLong.empty();

    /** Told where it stands. */
    @FunctionalInterface
    interface Report {
        /**
         * It does not lead.
         *
         * @param note why
         * @param able whether it could
         */
        void standsBy(String note, boolean able);
    }

    Candidacy(
            RelaySettings settings,
            Preflight preflight,
            RelayMeters meters,
            CompletableFuture<Void> stopRequested,
            Report report) {
        this.stopRequested = stopRequested;
        this.report = report;
        this.meters = meters;
        this.rehearsal = new Rehearsal(settings, preflight);
        Duration sixth = settings.lease().dividedBy(6);
        this.lookEvery = sixth.compareTo(LOOK_EVERY_MAX) < 0 ? sixth : LOOK_EVERY_MAX;
        this.probe = new KafkaProbe(settings.publisher());
        this.kafka = new KafkaReach(
                probe::ask,
                new Backoff(
                        ASK_FIRST, ASK_MAX, () -> ThreadLocalRandom.current().nextDouble()),
                System::nanoTime,
                meters);
    }

    /**
     * Waits for the lease.
     *
     * @return the lease; empty: told to stop
     */
    Optional<Lease> await(LeaseStore store) throws SQLException, InterruptedException {
        while (!stopRequested.isDone()) {
            boolean reached = kafka.look();
            boolean free = store.looksFree();
            meters.storeIsAvailable(RelayMeters.Store.POSTGRESQL);
            if (free && reached) {
                Optional<Lease> lease = store.tryAcquire();
                if (lease.isPresent()) {
                    return lease;
                }
            }
            if (!free) {
                ledAt = OptionalLong.of(System.nanoTime());
            }
            if (reached) {
                report.standsBy(OTHER_LEADS, rehearsal.isOver());
                if (rehearsal.isOver()) {
                    Waiting.isDone(stopRequested, lookEvery);
                } else {
                    rehearsal.next(); // and then look again: the leader may go any time
                }
            } else {
                String why = kafka.why();
                report.standsBy(why == null ? NO_ANSWER_YET : why, false);
                Waiting.isDone(kafka.questionOr(stopRequested), LOOK_EVERY_CUT_OFF);
            }
        }
        return Optional.empty();
    }

    /** This relay leads and streams: tells for how long nobody was seen to lead before. */
    void streams() {
        ledAt.ifPresent(at -> meters.tookOver(Duration.ofNanos(System.nanoTime() - at)));
        ledAt = OptionalLong.empty();
    }

    /** This relay led, and Kafka failed it: it does not take the lease again before Kafka has answered. */
    void cutOff(Exception failure) {
        kafka.forget(failure);
    }

    @Override
    public void close() {
        probe.close();
    }
}

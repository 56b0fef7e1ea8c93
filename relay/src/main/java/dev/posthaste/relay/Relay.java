package dev.posthaste.relay;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.lease.Lease;
import dev.posthaste.relay.lease.LeaseKeeper;
import dev.posthaste.relay.lease.LeaseStore;

/**
 * A relay: stands by, leads when it may, and begins anew after every failure from what the stores say. Thread-safe.
 *
 * <p>The thread {@code posthaste-relay} belongs to this object and ends with {@link #stop}.
 */
public final class Relay {

    private static final Logger log = LoggerFactory.getLogger(Relay.class);
    private static final Duration BACKOFF_FIRST = Duration.ofMillis(250);
    private static final Duration BACKOFF_MAX = Duration.ofSeconds(10);
    /** A halted relay looks again this often whether its reason is gone. */
    private static final Duration HALTED_PAUSE = Duration.ofSeconds(5);

    private final RelaySettings settings;
    private final Preflight preflight;
    private final String owner;
    private final Clock clock;
    private final RelayMeters meters;
    private final Attempts attempts = new Attempts();
    private final Backoff backoff = new Backoff(
            BACKOFF_FIRST, BACKOFF_MAX, () -> ThreadLocalRandom.current().nextDouble());
    private final CompletableFuture<Void> stopRequested = new CompletableFuture<>();
    private final Candidacy candidacy; // of the relay's thread
    private final Thread thread = new Thread(this::live, "posthaste-relay");
    private volatile RelayState state;
    private @Nullable Instant streamingSince; // of the relay's thread

    /**
     * Makes a relay that does nothing yet.
     *
     * @param preflight looks at the begin of each term whether all is there
     * @param owner names this process in the lease; unique to it
     */
    public Relay(RelaySettings settings, Preflight preflight, String owner, Clock clock, RelayMeters meters) {
        this.settings = settings;
        this.preflight = preflight;
        this.owner = owner;
        this.clock = clock;
        this.meters = meters;
        this.state = new RelayState.Standby(clock.instant(), "starting");
        this.candidacy = new Candidacy(settings, preflight, meters, stopRequested, this::standsBy);
    }

    /** Starts it; once. */
    public void start() {
        thread.start();
    }

    /** Where it stands. */
    public RelayState state() {
        return state;
    }

    /** Waits for its end. */
    public void join() throws InterruptedException {
        thread.join();
    }

    /** Whether its thread lives: else the process is of no use any more. */
    public boolean isAlive() {
        return thread.isAlive();
    }

    /**
     * Ends the term, if it leads, and waits for the end. The batch in hand may finish within the drain bound.
     *
     * @return whether it ended within the time
     */
    public boolean stop(Duration timeout) throws InterruptedException {
        stopRequested.complete(null);
        thread.join(Math.max(1, timeout.toMillis()));
        return !thread.isAlive();
    }

    private void live() {
        try (candidacy) {
            while (!stopRequested.isDone()) {
                Duration pause = leadOnce();
                Waiting.isDone(stopRequested, pause);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        log.info("stopped");
    }

    /** Tries to lead and leads; returns how long to wait before the next try. */
    private Duration leadOnce() throws InterruptedException {
        try (Connection connection = settings.database().connect("posthaste-lease", settings.lease())) {
            LeaseStore store = new LeaseStore(connection, settings.slot(), owner, settings.lease());
            Optional<Lease> lease = candidacy.await(store);
            if (lease.isPresent()) {
                lead(store, lease.get());
            }
            return Duration.ZERO;
        } catch (HaltException e) {
            log.error("halted: {}", e.getMessage());
            halted(e.reason());
            return HALTED_PAUSE;
        } catch (FencedException e) {
            log.warn("{}; standing by", e.getMessage());
            standby(String.valueOf(e.getMessage()));
            return settings.lease();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return away(e);
        }
    }

    private Duration away(Exception e) {
        Blame blame = Blame.of(e);
        if (blame == Blame.KAFKA) {
            meters.storeIsAway(RelayMeters.Store.KAFKA);
            candidacy.cutOff(e);
        } else if (blame == Blame.POSTGRESQL) {
            meters.storeIsAway(RelayMeters.Store.POSTGRESQL);
        }
        if (streamingSince != null && streamingSince.plus(BACKOFF_MAX).isBefore(clock.instant())) {
            backoff.reset(); // it went well in between; what fails anew at each start does not begin again
        }
        streamingSince = null;
        Duration pause = backoff.next();
        String what = blame.says(e);
        log.warn("{}; beginning anew in {} ms", what, pause.toMillis());
        log.debug("the failure", e);
        standby(what);
        return pause;
    }

    private void standsBy(String note, boolean able) {
        if (state instanceof RelayState.Standby standby) { // a halted relay stays halted while another leads
            state = new RelayState.Standby(standby.since(), note, able);
        }
    }

    private void lead(LeaseStore store, Lease lease) throws Exception {
        if (state instanceof RelayState.Halted halted) {
            state = halted.toStandby(clock.instant(), "looking again");
        }
        RelayState.Standby before = (RelayState.Standby) state;
        RelayState.Acquiring acquiring = before.toAcquiring(clock.instant(), lease.fence());
        state = acquiring;
        CompletableFuture<Void> leaseLost = new CompletableFuture<>();
        LeaseKeeper keeper =
                LeaseKeeper.start(store, lease, settings.lease(), System::nanoTime, () -> leaseLost.complete(null));
        try {
            new Term(settings, preflight, keeper, meters, attempts)
                    .run(
                            CompletableFuture.anyOf(stopRequested, leaseLost),
                            fence -> streaming(acquiring, fence),
                            () -> draining());
        } finally {
            meters.leads(false);
            keeper.close();
            release(store, keeper.lease());
        }
        standby(leaseLost.isDone() ? "the lease was lost" : "told to stop");
    }

    private void release(LeaseStore store, Lease lease) {
        try {
            store.release(lease);
        } catch (SQLException e) {
            meters.storeIsAway(RelayMeters.Store.POSTGRESQL); // else it would look as if this relay could lead again
            log.debug("the lease was not released; it expires by itself", e);
        }
    }

    private void streaming(RelayState.Acquiring acquiring, long fence) {
        state = acquiring.toStreaming(clock.instant(), fence);
        meters.leads(true);
        streamingSince = clock.instant();
        candidacy.streams();
    }

    private void draining() {
        if (state instanceof RelayState.Streaming streaming) {
            state = streaming.toDraining(clock.instant());
        }
    }

    private void standby(String note) {
        Instant now = clock.instant();
        RelayState current = state;
        if (current instanceof RelayState.Acquiring acquiring) {
            state = acquiring.toStandby(now, note);
        } else if (current instanceof RelayState.Streaming streaming) {
            state = streaming.toDraining(now).toStandby(now, note);
        } else if (current instanceof RelayState.Draining draining) {
            state = draining.toStandby(now, note);
        } else if (current instanceof RelayState.Standby) {
            state = new RelayState.Standby(current.since(), note);
        }
        // A halted relay stays halted while it cannot even look.
    }

    private void halted(HaltReason reason) {
        Instant now = clock.instant();
        RelayState current = state;
        if (current instanceof RelayState.Acquiring acquiring) {
            state = acquiring.toHalted(now, reason);
        } else if (current instanceof RelayState.Draining draining) {
            state = draining.toHalted(now, reason);
        }
    }
}

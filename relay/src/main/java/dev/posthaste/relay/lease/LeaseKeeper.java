package dev.posthaste.relay.lease;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews a lease until it is closed or lost. Its own late tick (a pause of the process, a leap of the clock) is a lost
 * lease as well: it reports first and asks afterwards, since by the database's clock another may lead already.
 *
 * <p>The thread {@code posthaste-lease} belongs to this object. The lease counts from before the renewal was asked for,
 * never from when the answer came.
 */
public final class LeaseKeeper implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);
    private static final int RENEWALS_PER_LEASE = 3;

    private final LeaseStore store;
    private Lease lease; // guarded by this
    private final Duration duration;
    private final LongSupplier nanoClock;
    private final Runnable onLost;
    private final Thread thread;
    private volatile boolean closed;
    private long renewedAt; // of the keeper's thread, once it runs

    private LeaseKeeper(LeaseStore store, Lease lease, Duration duration, LongSupplier nanoClock, Runnable onLost) {
        this.store = store;
        this.lease = lease;
        this.duration = duration;
        this.nanoClock = nanoClock;
        this.onLost = onLost;
        this.renewedAt = nanoClock.getAsLong();
        this.thread = new Thread(this::keep, "posthaste-lease");
        this.thread.setDaemon(true);
    }

    /**
     * Starts renewing.
     *
     * @param store used by the keeper alone from here on, until it is closed
     * @param nanoClock as {@link System#nanoTime()}
     * @param onLost called once, on the keeper's thread, when the lease is lost
     */
    public static LeaseKeeper start(
            LeaseStore store, Lease lease, Duration duration, LongSupplier nanoClock, Runnable onLost) {
        LeaseKeeper keeper = new LeaseKeeper(store, lease, duration, nanoClock, onLost);
        keeper.thread.start();
        return keeper;
    }

    private void keep() {
        try {
            while (!closed) {
                Thread.sleep(duration.dividedBy(RENEWALS_PER_LEASE).toMillis());
                long now = nanoClock.getAsLong();
                if (now - renewedAt >= duration.toNanos()) {
                    log.warn(
                            "the lease was not renewed for {} ms, longer than it lasts; standing down",
                            (now - renewedAt) / 1_000_000);
                    onLost.run();
                    return;
                }
                if (!closed && !renew()) {
                    onLost.run();
                    return;
                }
                renewedAt = now;
            }
        } catch (SQLException e) {
            if (!closed) {
                log.warn("the lease cannot be renewed: {}", e.getMessage());
                onLost.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // close() ends the thread this way
        }
    }

    private synchronized boolean renew() throws SQLException {
        if (store.renew(lease)) {
            return true;
        }
        log.warn(
                "the lease of slot {} with fence {} was taken by another relay; standing down",
                lease.slot(),
                lease.fence());
        return false;
    }

    /**
     * Raises the fence above one seen elsewhere.
     *
     * @return the lease under its fence from here on; empty: it is no longer ours
     */
    public synchronized Optional<Lease> raiseFence(long seen) throws SQLException {
        Optional<Lease> raised = store.raiseFence(lease, seen);
        raised.ifPresent(held -> lease = held);
        return raised;
    }

    /** The lease as it is held now. */
    public synchronized Lease lease() {
        return lease;
    }

    /** Stops renewing and waits for the thread; the store is the caller's again. Does not release the lease. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(duration.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

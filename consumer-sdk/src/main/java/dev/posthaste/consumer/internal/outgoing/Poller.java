package dev.posthaste.consumer.internal.outgoing;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.inbox.DueRecord;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.Printable;
import dev.posthaste.consumer.internal.HandlerSetup;
import dev.posthaste.consumer.internal.SqlErrors;

/**
 * Takes what is due on one route, a few at a time, and has it emitted. What cannot be emitted is kept and tried again;
 * nothing waits behind it. The thread {@code posthaste-<handler>-<route>} belongs to this object.
 */
final class Poller {

    private static final Logger LOG = LoggerFactory.getLogger(Poller.class);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final int TAKEN_MAX = 200;

    /**
     * Whatever a process that dies has in hand waits for so long. Where Kafka takes longer to answer, another takes it
     * as well and it is emitted twice, which harms nothing.
     */
    private static final Duration LEASE = Duration.ofSeconds(5);

    private static final Duration LET_GO_EVERY = Duration.ofSeconds(1);
    private static final Duration FAILED_DELAY_FIRST = Duration.ofSeconds(1);
    private static final Duration FAILED_DELAY_MAX = Duration.ofMinutes(1);
    private static final int DOUBLINGS_MAX = 6;
    private static final long TELL_EVERY_NANOS = Duration.ofMinutes(1).toNanos();
    private static final Duration END_BOUND = Duration.ofSeconds(15);

    private final HandlerSetup setup;
    private final InboxStore inbox;
    private final InboxStore.Route route;
    private final Emitter emitter;
    private final Thread thread;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private long letGoAt = System.nanoTime();
    private long toldAt;
    private volatile boolean failing;

    Poller(HandlerSetup setup, InboxStore inbox, InboxStore.Route route, Emitter emitter) {
        this.setup = setup;
        this.inbox = inbox;
        this.route = route;
        this.emitter = emitter;
        this.thread = new Thread(this::run, "posthaste-" + setup.handler() + "-" + route.wireName());
    }

    void start() {
        thread.start();
    }

    void stop() {
        stopping.countDown();
    }

    void awaitEnd() {
        try {
            thread.join(END_BOUND.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            boolean more = false;
            while (!stopping.await(more ? 0 : PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
                more = setup.inboxGate().mayTry() && pass();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody but an owner of ours interrupts this thread
        } finally {
            emitter.close();
        }
    }

    /** Whether more may be due. */
    private boolean pass() throws InterruptedException {
        try (Connection connection = setup.dataSource().getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true); // each statement for itself: no transaction is open while Kafka answers
            int max = setup.ownership().isOurs(connection) ? takenMax() : 0;
            List<DueRecord> due = max == 0 ? List.of() : inbox.takeDue(connection, route, max, LEASE);
            if (!due.isEmpty()) {
                settle(connection, emitter.emit(due));
            }
            letGo(connection);
            connection.setAutoCommit(autoCommit);
            setup.inboxGate().succeeded();
            return due.size() == TAKEN_MAX;
        } catch (SQLException | RuntimeException e) {
            if (!SqlErrors.isContention(e)) { // lanes work on the same rows; the store is there all the same
                setup.inboxGate().failed(e);
            }
            return false;
        }
    }

    /** While the handler pauses retries keep their times; one goes out if nobody else has a record to probe with. */
    private int takenMax() {
        if (route == InboxStore.Route.DEAD_LETTER || !setup.breaker().isOpen()) {
            return TAKEN_MAX;
        }
        return setup.breaker().wantsRecord() ? 1 : 0;
    }

    private void settle(Connection connection, Emitter.Result result) throws SQLException {
        if (!result.emitted().isEmpty()) {
            inbox.emitted(connection, result.emitted());
        }
        for (Map.Entry<DueRecord, Throwable> failed : result.failed().entrySet()) {
            DueRecord record = failed.getKey();
            inbox.notEmitted(connection, record, told(failed.getValue()), delay(record.failures()));
        }
        tell(result);
    }

    private static String told(Throwable failure) {
        return Printable.of(failure.toString());
    }

    private static Duration delay(int failures) {
        Duration delay = FAILED_DELAY_FIRST.multipliedBy(1L << Math.min(failures, DOUBLINGS_MAX));
        return delay.compareTo(FAILED_DELAY_MAX) < 0 ? delay : FAILED_DELAY_MAX;
    }

    private void tell(Emitter.Result result) {
        if (result.failed().isEmpty()) {
            if (failing) {
                LOG.info("handler {}: its {} topic takes records again", setup.handler(), route.wireName());
            }
            failing = false;
            return;
        }
        long now = System.nanoTime();
        if (!failing || now - toldAt >= TELL_EVERY_NANOS) {
            toldAt = now;
            LOG.error(
                    "handler {}: {} records could not be put on its {} topic; they are kept and tried again, nothing"
                            + " waits for them: {}",
                    setup.handler(),
                    result.failed().size(),
                    route.wireName(),
                    told(result.failed().values().iterator().next()));
        }
        failing = true;
    }

    /** Whoever completes a message lets the next ones of its key go. Should it end before that, they go from here. */
    private void letGo(Connection connection) throws SQLException {
        long now = System.nanoTime();
        if (route == InboxStore.Route.RETRY
                && setup.perKey()
                && setup.ownership().isOurs(connection)
                && now - letGoAt >= LET_GO_EVERY.toNanos()) {
            letGoAt = now;
            inbox.letGoOfAll(connection);
        }
    }

    InboxStore.Route route() {
        return route;
    }

    /** Whether its topic takes records: false from the first that it refuses to the next that it takes. */
    boolean isEmitting() {
        return !failing;
    }
}

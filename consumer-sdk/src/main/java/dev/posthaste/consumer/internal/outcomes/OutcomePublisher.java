package dev.posthaste.consumer.internal.outcomes;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.inbox.JournalEntry;
import dev.posthaste.consumer.inbox.Printable;
import dev.posthaste.consumer.internal.StoreGate;
import dev.posthaste.consumer.internal.Worker;

/**
 * Publishes what the journals of all handlers say, at least once, and which versions they read: at start and every few
 * minutes. Nothing waits for it: while it cannot, entries stay in the journal. The thread {@code posthaste-outcomes}
 * belongs to this object.
 */
public final class OutcomePublisher {

    private static final Logger LOG = LoggerFactory.getLogger(OutcomePublisher.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration PAUSE_MAX = Duration.ofMinutes(1);
    private static final Duration ANNOUNCE_EVERY = Duration.ofMinutes(5);
    private static final int TAKEN_MAX = 200;

    /** Longer than the producer takes to deliver or to give up. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final Duration CLOSE_BOUND = Duration.ofSeconds(2);
    private static final Duration END_BOUND = Duration.ofSeconds(10);

    private final String topic;
    private final List<OutcomeSource> sources;
    private final DataSource dataSource;
    private final StoreGate gate;
    private final Map<String, Object> producerSettings;
    private final OutcomeRecords records;
    private final Clock clock;
    private final Thread thread = new Thread(this::run, "posthaste-outcomes");
    private final CountDownLatch stopping = new CountDownLatch(1);
    private @Nullable Producer<byte[], byte[]> producer;
    private @Nullable Instant announcedAt;
    private boolean failing;

    /**
     * Makes one; nothing runs before {@link #start()}.
     *
     * @param producerSettings of a producer whose every wait has an end
     */
    public OutcomePublisher(
            String topic,
            List<OutcomeSource> sources,
            DataSource dataSource,
            StoreGate gate,
            Map<String, Object> producerSettings,
            Worker worker,
            Clock clock) {
        this.topic = topic;
        this.sources = List.copyOf(sources);
        this.dataSource = dataSource;
        this.gate = gate;
        this.producerSettings = Map.copyOf(producerSettings);
        this.records = new OutcomeRecords(topic, worker);
        this.clock = clock;
    }

    /** Starts the thread; once only. */
    public void start() {
        thread.start();
    }

    /** Ends it: what it has in hand is published or comes again elsewhere. */
    public void stop() {
        stopping.countDown();
        thread.interrupt();
        try {
            thread.join(END_BOUND.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        Duration pause = PAUSE;
        try {
            while (!stopping.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                Duration longer = pause.multipliedBy(2);
                pause = pass() ? PAUSE : longer.compareTo(PAUSE_MAX) < 0 ? longer : PAUSE_MAX;
            }
        } catch (InterruptedException | InterruptException e) {
            Thread.currentThread().interrupt(); // it is to end
        } finally {
            closeProducer();
        }
    }

    /** Whether all went well. */
    private boolean pass() throws InterruptedException {
        if (!gate.isAvailable()) {
            return true; // others find out when the database is back
        }
        try {
            var unused = producer().partitionsFor(topic); // before anything is taken
            announce();
            tellAll();
            failing = false;
            return true;
        } catch (InterruptException e) {
            throw e;
        } catch (ExecutionException | SQLException | RuntimeException e) {
            if (!failing) {
                LOG.info(
                        "outcomes cannot be published to {} now; they are kept, nothing waits for them, and"
                                + " `posthaste init` makes the topic: {}",
                        topic,
                        Printable.of(e.toString()));
            }
            failing = true;
            closeProducer();
            return false;
        }
    }

    private void announce() throws ExecutionException, InterruptedException {
        Instant now = clock.instant();
        Instant before = announcedAt;
        if (before == null || !now.isBefore(before.plus(ANNOUNCE_EVERY))) {
            send(sources.stream().map(source -> records.ofReader(source, now)).toList());
            announcedAt = now;
        }
    }

    private void tellAll() throws SQLException, ExecutionException, InterruptedException {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true); // no transaction is open while Kafka answers
            for (OutcomeSource source : sources) {
                tell(source, connection);
            }
            connection.setAutoCommit(autoCommit);
        }
    }

    private void tell(OutcomeSource source, Connection connection)
            throws SQLException, ExecutionException, InterruptedException {
        if (!source.ownership().isOurs(connection)) {
            return;
        }
        List<JournalEntry> entries = source.inbox().takeUntold(connection, TAKEN_MAX, LEASE);
        if (!entries.isEmpty()) {
            send(entries.stream()
                    .map(entry -> records.of(source.handler(), entry))
                    .toList());
            source.inbox().told(connection, entries);
        }
    }

    private void send(List<ProducerRecord<byte[], byte[]>> all) throws ExecutionException, InterruptedException {
        List<Future<?>> sent = new ArrayList<>();
        for (ProducerRecord<byte[], byte[]> record : all) {
            sent.add(producer().send(record));
        }
        for (Future<?> one : sent) {
            one.get();
        }
    }

    private Producer<byte[], byte[]> producer() {
        Producer<byte[], byte[]> current = producer;
        if (current == null) {
            current = new KafkaProducer<>(producerSettings);
            producer = current;
        }
        return current;
    }

    private void closeProducer() {
        Producer<byte[], byte[]> current = producer;
        producer = null;
        if (current != null) {
            boolean interrupted = Thread.interrupted();
            current.close(CLOSE_BOUND);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

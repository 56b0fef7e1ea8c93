package dev.posthaste.relay.publishing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.routing.RoutedMessage;
import dev.posthaste.schemas.MessageHeaders;

/**
 * Publishes batches, each in a Kafka transaction of its own together with the position after it. After any failure it
 * is spent: the outcome of its last transaction is told by the position topic alone, after the next publisher's start
 * has fenced this one. Not thread-safe.
 */
public final class KafkaPublisher implements AutoCloseable {

    /** The header of a record that is only written to be aborted. */
    static final String THROWN_AWAY = "posthaste_thrown_away";

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    /** The producer waits so long between finding its coordinator and asking it, in every takeover. */
    private static final long RETRY_BACKOFF_MILLIS = 20L;

    private final Producer<byte[], byte[]> producer;
    private final PublisherSettings settings;
    private final CommitMarkers markers;
    /** The last offset of the open transaction on each of its partitions; filled by the producer's thread. */
    private final Map<TopicPartition, Long> written = new ConcurrentHashMap<>();

    private final PositionCodec codec = new PositionCodec();
    /**
     * The first of the open transaction. What follows may be innocent: the producer fails all that it has not sent yet
     * with the error that came first, and of one kind of error there may be one instance only.
     */
    private final AtomicReference<RefusedException.@Nullable Refused> refused = new AtomicReference<>();
    /** The first of the open transaction. */
    private final AtomicReference<@Nullable KafkaException> failedSend = new AtomicReference<>();

    private KafkaPublisher(Producer<byte[], byte[]> producer, PublisherSettings settings) {
        this.producer = producer;
        this.settings = settings;
        this.markers = new CommitMarkers(settings);
    }

    /**
     * Connects, fences every earlier publisher of this namespace and slot and ends its open transaction. Only then may
     * the position be read.
     *
     * @throws KafkaException if Kafka cannot be reached in time or refuses
     */
    public static KafkaPublisher open(PublisherSettings settings) {
        Producer<byte[], byte[]> producer = producer(settings);
        try {
            producer.initTransactions();
            return new KafkaPublisher(producer, settings);
        } catch (RuntimeException e) {
            producer.close(CLOSE_TIMEOUT);
            throw e;
        }
    }

    /**
     * Does what is cold in a first {@link #open}, and neither fences anybody nor publishes anything.
     *
     * @throws KafkaException if Kafka cannot be reached in time
     */
    public static void rehearse(PublisherSettings settings) {
        Producer<byte[], byte[]> producer = producer(settings);
        try {
            producer.partitionsFor(settings.namespace().positionTopic());
        } finally {
            producer.close(CLOSE_TIMEOUT);
        }
    }

    private static Producer<byte[], byte[]> producer(PublisherSettings settings) {
        int requestMillis = (int) settings.requestTimeout().toMillis();
        return new KafkaProducer<>(
                settings.kafka()
                        .with(Map.ofEntries(
                                Map.entry(ProducerConfig.TRANSACTIONAL_ID_CONFIG, settings.transactionalId()),
                                Map.entry(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, (int)
                                        settings.transactionTimeout().toMillis()),
                                Map.entry(ProducerConfig.ACKS_CONFIG, "all"),
                                Map.entry(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, settings.messageBytes()),
                                Map.entry(ProducerConfig.LINGER_MS_CONFIG, 0),
                                Map.entry(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4"),
                                Map.entry(ProducerConfig.MAX_BLOCK_MS_CONFIG, (long) requestMillis),
                                Map.entry(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, requestMillis),
                                Map.entry(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, requestMillis),
                                Map.entry(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, RETRY_BACKOFF_MILLIS),
                                Map.entry(
                                        ProducerConfig.CLIENT_ID_CONFIG,
                                        "posthaste-relay-" + settings.transactionalId()))),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /**
     * Publishes the messages and the position after them, all or nothing, and returns once that is decided on every
     * partition: no process of Kafka that dies afterwards leaves it undecided.
     *
     * @param messages may be empty, to move the position alone
     * @throws RefusedException if Kafka refuses a record for what it is, without which others may be refused yet:
     *     nothing was published, and the publisher may be used on
     * @throws FencedException if another publisher has taken over: nothing was published
     * @throws KafkaException if it failed or its outcome is unknown
     * @throws InterruptedException if the thread was interrupted; the outcome is unknown
     */
    public void publish(List<RoutedMessage> messages, Position after)
            throws RefusedException, FencedException, InterruptedException {
        transact(messages, () -> sendPosition(after));
    }

    /** Publishes a position alone; otherwise as {@link #publish}. */
    public void publishPosition(Position position) throws FencedException, InterruptedException {
        try {
            publish(List.of(), position);
        } catch (RefusedException e) { // only copies of messages are reported as refused
            throw new IllegalStateException(e);
        }
    }

    /**
     * Publishes messages without a position, for an operator: such a publisher has a transactional id of its own.
     *
     * @throws RefusedException as {@link #publish}
     */
    public void publishReleased(List<RoutedMessage> messages)
            throws RefusedException, FencedException, InterruptedException {
        transact(messages, () -> {});
    }

    /**
     * Aborts what hangs on these partitions of an earlier transaction of this publisher's id, by a transaction of its
     * own that is aborted: a marker ends all that its producer id has open on a partition. Nobody who reads committed
     * records sees anything of it.
     *
     * @throws FencedException if another publisher has taken over: nothing of it may be aborted yet
     * @throws KafkaException if it failed; what hangs may be aborted on some of the partitions
     */
    public void abort(Collection<TopicPartition> partitions) throws FencedException, InterruptedException {
        failedSend.set(null);
        try {
            producer.beginTransaction();
            for (TopicPartition partition : partitions) {
                ProducerRecord<byte[], byte[]> thrownAway = new ProducerRecord<>(
                        partition.topic(), partition.partition(), utf8(settings.slot()), new byte[0]);
                thrownAway.headers().add(THROWN_AWAY, new byte[0]);
                send(thrownAway, failure -> {});
            }
            producer.flush(); // else they would never leave, and no marker would come
            KafkaException failed = failedSend.get();
            if (failed != null) {
                throw failed;
            }
            producer.abortTransaction();
        } catch (ProducerFencedException | InvalidProducerEpochException e) {
            throw fenced(e);
        } catch (InterruptException e) {
            throw interrupted(e);
        }
    }

    private FencedException fenced(KafkaException cause) {
        return new FencedException("Kafka: another relay publishes as " + settings.transactionalId(), cause);
    }

    private void transact(List<RoutedMessage> messages, Runnable last)
            throws RefusedException, FencedException, InterruptedException {
        refused.set(null);
        failedSend.set(null);
        written.clear();
        try {
            producer.beginTransaction();
            messages.forEach(this::send);
            last.run();
            producer.commitTransaction();
            markers.await(written);
        } catch (ProducerFencedException | InvalidProducerEpochException e) {
            throw fenced(e);
        } catch (InterruptException e) {
            throw interrupted(e);
        } catch (KafkaException e) {
            RefusedException.Refused first = refused.get();
            if (first == null) {
                throw e;
            }
            producer.abortTransaction();
            throw new RefusedException(first);
        }
    }

    private void sendPosition(Position position) {
        send(
                new ProducerRecord<>(
                        settings.namespace().positionTopic(), 0, utf8(settings.slot()), codec.encode(position)),
                failure -> {});
    }

    private void send(RoutedMessage message) {
        byte[] key = utf8(message.key());
        byte[] value = message.row().payload().bytes();
        for (String topic : message.topics()) {
            ProducerRecord<byte[], byte[]> copy = new ProducerRecord<>(topic, key, value);
            Headers headers = copy.headers();
            message.headers().forEach((name, text) -> headers.add(name, utf8(text)));
            send(message, copy);
        }
        for (String topic : message.markers()) {
            ProducerRecord<byte[], byte[]> marker = new ProducerRecord<>(topic, key, null);
            marker.headers()
                    .add(MessageHeaders.CE_ID, utf8(message.row().id().toString()))
                    .add(MessageHeaders.CE_TYPE, utf8(message.row().type()))
                    .add(MessageHeaders.STAGED_AT, utf8(message.stagedAt()))
                    .add(MessageHeaders.QUARANTINED, utf8("true"));
            send(message, marker);
        }
    }

    private void send(RoutedMessage message, ProducerRecord<byte[], byte[]> copy) {
        send(copy, failure -> {
            if (failure instanceof RecordTooLargeException || failure instanceof InvalidRecordException) {
                refused.compareAndSet(
                        null,
                        new RefusedException.Refused(
                                message.row().id(),
                                copy.topic(),
                                failure instanceof RecordTooLargeException,
                                String.valueOf(failure.getMessage())));
            }
        });
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback notes a failure
    private void send(ProducerRecord<byte[], byte[]> copy, Consumer<Exception> onFailure) {
        producer.send(copy, (metadata, failure) -> {
            if (failure != null) {
                onFailure.accept(failure);
                failedSend.compareAndSet(
                        null, failure instanceof KafkaException known ? known : new KafkaException(failure));
            } else {
                written.merge(new TopicPartition(metadata.topic(), metadata.partition()), metadata.offset(), Math::max);
            }
        });
        KafkaException failed = failedSend.get();
        if (failed != null) {
            throw failed; // else every further send would wait as long for a broker that does not answer
        }
    }

    private static InterruptedException interrupted(InterruptException cause) {
        Thread.interrupted(); // InterruptException sets the flag again; the exception carries it from here on
        InterruptedException e = new InterruptedException("interrupted while publishing");
        e.initCause(cause);
        return e;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        markers.close();
        producer.close(CLOSE_TIMEOUT);
    }
}

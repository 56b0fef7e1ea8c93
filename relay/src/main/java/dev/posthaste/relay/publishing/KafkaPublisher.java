package dev.posthaste.relay.publishing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.routing.RoutedMessage;

/**
 * Publishes batches, each in a Kafka transaction of its own together with the position after it. After any failure it
 * is spent: the outcome of its last transaction is told by the position topic alone, after the next publisher's start
 * has fenced this one. Not thread-safe.
 */
public final class KafkaPublisher implements AutoCloseable {

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final Producer<byte[], byte[]> producer;
    private final PublisherSettings settings;
    private final PositionCodec codec = new PositionCodec();
    private final AtomicReference<@Nullable KafkaException> failedSend = new AtomicReference<>();

    private KafkaPublisher(Producer<byte[], byte[]> producer, PublisherSettings settings) {
        this.producer = producer;
        this.settings = settings;
    }

    /**
     * Connects, fences every earlier publisher of this namespace and slot and ends its open transaction. Only then may
     * the position be read.
     *
     * @throws KafkaException if Kafka cannot be reached in time or refuses
     */
    public static KafkaPublisher open(PublisherSettings settings) {
        long requestMillis = settings.requestTimeout().toMillis();
        Producer<byte[], byte[]> producer = new KafkaProducer<>(
                settings.kafka()
                        .with(Map.of(
                                ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                                settings.transactionalId(),
                                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
                                (int) settings.transactionTimeout().toMillis(),
                                ProducerConfig.ACKS_CONFIG,
                                "all",
                                ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                                settings.messageBytes(),
                                ProducerConfig.LINGER_MS_CONFIG,
                                0,
                                ProducerConfig.COMPRESSION_TYPE_CONFIG,
                                "lz4",
                                ProducerConfig.MAX_BLOCK_MS_CONFIG,
                                requestMillis,
                                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                                (int) requestMillis,
                                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                                (int) requestMillis,
                                ProducerConfig.CLIENT_ID_CONFIG,
                                "posthaste-relay-" + settings.transactionalId())),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        try {
            producer.initTransactions();
            return new KafkaPublisher(producer, settings);
        } catch (RuntimeException e) {
            producer.close(CLOSE_TIMEOUT);
            throw e;
        }
    }

    /**
     * Publishes the messages and the position after them, all or nothing.
     *
     * @param messages may be empty, to move the position alone
     * @throws FencedException if another publisher has taken over: nothing was published
     * @throws MessageTooLargeException if a topic refuses a message for its size: nothing was published
     * @throws KafkaException if it failed or its outcome is unknown
     * @throws InterruptedException if the thread was interrupted; the outcome is unknown
     */
    public void publish(List<RoutedMessage> messages, Position after) throws FencedException, InterruptedException {
        try {
            producer.beginTransaction();
            for (RoutedMessage message : messages) {
                send(message);
            }
            sendPosition(after);
            producer.commitTransaction();
        } catch (ProducerFencedException | InvalidProducerEpochException e) {
            throw new FencedException("Kafka: another relay publishes as " + settings.transactionalId(), e);
        } catch (InterruptException e) {
            throw interrupted(e);
        } catch (KafkaException e) {
            // The commit only says that a send has failed; the send says why.
            KafkaException failed = failedSend.get();
            if (failed instanceof MessageTooLargeException && failed != e) {
                failed.addSuppressed(e);
                throw failed;
            }
            throw e;
        }
    }

    private void sendPosition(Position position) {
        send(
                new ProducerRecord<>(
                        settings.namespace().positionTopic(), 0, utf8(settings.slot()), codec.encode(position)),
                null);
    }

    private void send(RoutedMessage message) {
        byte[] key = utf8(message.key());
        byte[] value = message.row().payload().bytes();
        for (String topic : message.topics()) {
            ProducerRecord<byte[], byte[]> copy = new ProducerRecord<>(topic, key, value);
            Headers headers = copy.headers();
            message.headers().forEach((name, text) -> headers.add(name, utf8(text)));
            send(copy, message.row().id());
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback notes a failure, and commitTransaction() throws it
    private void send(ProducerRecord<byte[], byte[]> copy, @Nullable UUID messageId) {
        producer.send(copy, (metadata, failure) -> {
            if (failure != null) {
                failedSend.accumulateAndGet(asKafkaException(failure, copy, messageId), KafkaPublisher::moreTelling);
            }
        });
        KafkaException failed = failedSend.get();
        if (failed != null) {
            throw failed; // else every further send would wait as long for a broker that does not answer
        }
    }

    private static KafkaException asKafkaException(
            Exception failure, ProducerRecord<byte[], byte[]> copy, @Nullable UUID messageId) {
        if (failure instanceof RecordTooLargeException && messageId != null) {
            return new MessageTooLargeException(messageId, sizeOf(copy), copy.topic(), failure);
        }
        return failure instanceof KafkaException known ? known : new KafkaException(failure);
    }

    /** The first failure; but one that blames a message is the cause of the others, whenever it comes. */
    private static @Nullable KafkaException moreTelling(@Nullable KafkaException first, @Nullable KafkaException next) {
        boolean nextIsTheCause =
                next instanceof MessageTooLargeException && !(first instanceof MessageTooLargeException);
        return first == null || nextIsTheCause ? next : first;
    }

    private static int sizeOf(ProducerRecord<byte[], byte[]> copy) {
        int bytes = copy.key().length + copy.value().length;
        for (Header header : copy.headers()) {
            bytes += header.key().length() + header.value().length;
        }
        return bytes;
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
        producer.close(CLOSE_TIMEOUT);
    }
}

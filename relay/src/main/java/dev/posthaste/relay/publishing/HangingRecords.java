package dev.posthaste.relay.publishing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.MessageHeaders;

/**
 * What an undecided transaction wrote, read as nobody else may: before it is decided. It is a batch, so at most as much
 * as a batch has, and only its ids are kept. Used by one thread.
 */
final class HangingRecords {

    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

    private final PublisherSettings settings;
    private final PositionCodec codec = new PositionCodec();
    private final List<Position> positions = new ArrayList<>();
    private final List<TopicTail.Seen> messages = new ArrayList<>();
    private @Nullable Instant since;
    private @Nullable String doubt;

    private HangingRecords(PublisherSettings settings) {
        this.settings = settings;
    }

    /**
     * Reads all that lies at and after these offsets.
     *
     * @throws org.apache.kafka.common.KafkaException if it cannot be read in time
     */
    static HangingRecords read(PublisherSettings settings, Map<TopicPartition, Long> from) {
        HangingRecords records = new HangingRecords(settings);
        try {
            records.read(from);
        } catch (AuthorizationException e) {
            records.doubt = "the relay may not read it: " + e.getMessage() + "; allow it READ on these topics";
        }
        return records;
    }

    private void read(Map<TopicPartition, Long> from) {
        Map<String, Object> consumerSettings = settings.kafka()
                .with(Map.of(
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_uncommitted",
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        false,
                        ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                        false,
                        ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                        (int) settings.requestTimeout().toMillis()));
        Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(consumerSettings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        try {
            consumer.assign(from.keySet());
            from.forEach(consumer::seek);
            Map<TopicPartition, Long> ends = consumer.endOffsets(from.keySet());
            long deadline = System.nanoTime() + settings.requestTimeout().toNanos();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(POLL).forEach(this::take);
                if (System.nanoTime() - deadline > 0) {
                    throw new TimeoutException("what hangs on " + from.keySet() + " was not read within "
                            + settings.requestTimeout().toSeconds() + " s");
                }
            }
        } finally {
            consumer.close(CloseOptions.timeout(CLOSE_TIMEOUT));
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> hanging) {
        if (hanging.headers().lastHeader(KafkaPublisher.THROWN_AWAY) != null) {
            return; // of an earlier try to abort it
        }
        Instant at = Instant.ofEpochMilli(hanging.timestamp());
        since = since == null || at.isBefore(since) ? at : since;
        try {
            if (!hanging.topic().equals(settings.namespace().positionTopic())) {
                takeMessage(hanging);
            } else if (settings.slot().equals(new String(hanging.key(), StandardCharsets.UTF_8))) {
                positions.add(codec.decode(hanging.value()));
            } else {
                doubt = "there is a position of another slot at offset " + hanging.offset();
            }
        } catch (RuntimeException e) { // whatever is in it that the relay did not write
            doubt = "the record at offset " + hanging.offset() + " of " + hanging.topic() + "-" + hanging.partition()
                    + " cannot be read: " + e.getMessage();
        }
    }

    private void takeMessage(ConsumerRecord<byte[], byte[]> hanging) {
        if ("release".equals(header(hanging, MessageHeaders.REPLAY))) {
            doubt = "there is a released message at offset " + hanging.offset() + " of " + hanging.topic() + "-"
                    + hanging.partition() + ", which no position tells of";
            return;
        }
        messages.add(new TopicTail.Seen(
                UUID.fromString(header(hanging, MessageHeaders.CE_ID)),
                Instant.parse(header(hanging, MessageHeaders.STAGED_AT))));
    }

    private static String header(ConsumerRecord<byte[], byte[]> hanging, String name) {
        Header header = hanging.headers().lastHeader(name);
        return header == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
    }

    List<Position> positions() {
        return positions;
    }

    List<TopicTail.Seen> messages() {
        return messages;
    }

    @Nullable
    Instant since() {
        return since;
    }

    @Nullable
    String doubt() {
        return doubt;
    }
}

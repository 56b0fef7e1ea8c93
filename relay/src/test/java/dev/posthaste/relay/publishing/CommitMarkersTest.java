package dev.posthaste.relay.publishing;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.posthaste.schemas.Namespace;
import dev.posthaste.testkit.EmbeddedKafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Whether a transaction is decided, on a broker of its own. */
class CommitMarkersTest {

    private static final String TOPIC = "copies";
    private static final TopicPartition FIRST = new TopicPartition(TOPIC, 0);
    private static final TopicPartition SECOND = new TopicPartition(TOPIC, 1);

    private EmbeddedKafka kafka;
    private Admin admin;
    private PublisherSettings settings;
    private Producer<String, String> ours;

    @BeforeEach
    void start() throws Exception {
        kafka = EmbeddedKafka.launch();
        KafkaSettings broker = new KafkaSettings(kafka.bootstrapServers(), Map.of());
        settings = new PublisherSettings(
                broker,
                new Namespace("library"),
                "slot",
                "ours",
                Duration.ofSeconds(30),
                Duration.ofSeconds(2),
                1024 * 1024);
        admin = Admin.create(broker.with(Map.of()));
        admin.createTopics(List.of(new NewTopic(TOPIC, 2, (short) 1))).all().get();
        ours = producer("ours");
    }

    @AfterEach
    void stop() {
        ours.close();
        admin.close();
        kafka.close();
    }

    private Producer<String, String> producer(String transactionalId) {
        Producer<String, String> producer = new KafkaProducer<>(
                settings.kafka().with(Map.of("transactional.id", transactionalId)),
                new StringSerializer(),
                new StringSerializer());
        producer.initTransactions();
        return producer;
    }

    private static long send(Producer<String, String> producer, TopicPartition partition) throws Exception {
        return producer.send(new ProducerRecord<>(partition.topic(), partition.partition(), "key", "copy"))
                .get()
                .offset();
    }

    private long readable(TopicPartition partition) throws Exception {
        return admin.listOffsets(
                        Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                .partitionResult(partition)
                .get()
                .offset();
    }

    @Test
    void aTransactionIsWaitedForUntilItIsDecidedOnEachOfItsPartitions() throws Exception {
        try (CommitMarkers markers = new CommitMarkers(settings)) {
            ours.beginTransaction();
            Map<TopicPartition, Long> written = Map.of(FIRST, send(ours, FIRST), SECOND, send(ours, SECOND));

            assertThatThrownBy(() -> markers.await(written))
                    .isInstanceOf(TimeoutException.class)
                    .hasMessageContainingAll("a commit of ours", "copies-0", "copies-1", "after 2000 ms");

            ours.commitTransaction();
            markers.await(written);
            assertThat(readable(FIRST)).isGreaterThan(written.get(FIRST));
            assertThat(readable(SECOND)).isGreaterThan(written.get(SECOND));
        }
    }

    @Test
    void anOperatorsOpenTransactionIsNotWaitedForAlthoughReadersStandBeforeIt() throws Exception {
        try (CommitMarkers markers = new CommitMarkers(settings);
                Producer<String, String> operator = producer("operator")) {
            operator.beginTransaction();
            long before = send(operator, FIRST);
            ours.beginTransaction();
            Map<TopicPartition, Long> written = Map.of(FIRST, send(ours, FIRST), SECOND, send(ours, SECOND));
            ours.commitTransaction();

            markers.await(written);

            assertThat(readable(FIRST)).isEqualTo(before);
            assertThat(readable(SECOND)).isGreaterThan(written.get(SECOND));
            operator.abortTransaction();
        }
    }
}

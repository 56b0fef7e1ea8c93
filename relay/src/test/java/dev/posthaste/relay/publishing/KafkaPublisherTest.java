package dev.posthaste.relay.publishing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.posthaste.relay.Rows;
import dev.posthaste.relay.TopicReader;
import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.routing.RoutedMessage;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.SourceDatabase;
import dev.posthaste.schemas.Namespace;
import dev.posthaste.testkit.EmbeddedKafka;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** One Kafka transaction per batch, on a broker of its own. */
class KafkaPublisherTest {

    private static final Duration REQUEST = Duration.ofSeconds(2);
    private static final Position FIRST = Position.first(new SourceDatabase.Identity("7", "library", 1), new Lsn(100));

    private static EmbeddedKafka kafka;

    private Namespace namespace;
    private PublisherSettings settings;
    private PositionStore positions;

    @BeforeAll
    static void start() {
        kafka = EmbeddedKafka.launch();
    }

    @AfterAll
    static void stop() {
        kafka.close();
    }

    @BeforeEach
    void topics() throws Exception {
        namespace = new Namespace("n" + UUID.randomUUID().toString().substring(0, 8));
        KafkaSettings broker = new KafkaSettings(kafka.bootstrapServers(), Map.of());
        settings = new PublisherSettings(
                broker, namespace, "slot", namespace.name() + "-slot", Duration.ofSeconds(10), REQUEST, 1024 * 1024);
        positions = new PositionStore(broker, namespace, "slot", Duration.ofSeconds(10));
        try (Admin admin = Admin.create(broker.with(Map.of()))) {
            admin.createTopics(List.of(
                            new NewTopic(namespace.positionTopic(), 1, (short) 1),
                            new NewTopic(namespace.topic("a"), 2, (short) 1),
                            new NewTopic(namespace.topic("b"), 2, (short) 1)))
                    .all()
                    .get();
        }
    }

    private List<RoutedMessage> messages(int count) {
        List<RoutedMessage> messages = new ArrayList<>();
        for (int n = 0; n < count; n++) {
            messages.add(new RoutedMessage(
                    Rows.row(new UUID(0, n)),
                    List.of(namespace.topic("a"), namespace.topic("b")),
                    List.of(),
                    "key",
                    Map.of("ce_id", new UUID(0, n).toString()),
                    false));
        }
        return messages;
    }

    private static Position batch(long number) {
        return new Position(
                FIRST.source(), 1, number, 1, new Lsn(100 + number), null, new Lsn(100), new UUID(0, number), false);
    }

    /** At once: a publisher comes back when its transaction is decided, although Kafka answers a commit before. */
    private void assertPosition(Position position) {
        assertThat(positions.read()).contains(position);
    }

    private void assertPublished(String handler, int messages) {
        assertThat(published(handler)).isEqualTo(messages);
    }

    private int published(String handler) {
        return TopicReader.readCommitted(kafka.bootstrapServers(), namespace.topic(handler))
                .size();
    }

    @Test
    void aBatchAndThePositionAfterItAreThereTogether() throws Exception {
        assertThat(positions.read()).isEmpty();
        try (KafkaPublisher publisher = KafkaPublisher.open(settings)) {
            publisher.publish(List.of(), FIRST);
            assertPosition(FIRST);
            publisher.publish(messages(3), batch(1));
            assertPosition(batch(1));
        }
        assertPublished("a", 3);
        assertPublished("b", 3);
    }

    @Test
    void thePositionOfAnotherSlotIsNotOurs() throws Exception {
        PublisherSettings other = new PublisherSettings(
                settings.kafka(),
                namespace,
                "other_slot",
                namespace.name() + "-other",
                settings.transactionTimeout(),
                REQUEST,
                1024 * 1024);
        try (KafkaPublisher publisher = KafkaPublisher.open(settings);
                KafkaPublisher another = KafkaPublisher.open(other)) {
            publisher.publish(List.of(), batch(1));
            another.publish(List.of(), batch(9));
        }
        assertPosition(batch(1));
    }

    @Test
    void aPublisherThatWasFencedPublishesNothing() throws Exception {
        try (KafkaPublisher stale = KafkaPublisher.open(settings)) {
            stale.publish(messages(1), batch(1));
            try (KafkaPublisher next = KafkaPublisher.open(settings)) {
                assertThatThrownBy(() -> stale.publish(messages(5), batch(2))).isInstanceOf(FencedException.class);
                assertThat(positions.read()).contains(batch(1));
                next.publish(messages(1), batch(3));
            }
        }
        assertPosition(batch(3));
        assertPublished("a", 2);
    }

    @Test
    void aMessageLargerThanAnyRequestIsNamedAndThePublisherMayGoOn() throws Exception {
        PublisherSettings small = new PublisherSettings(
                settings.kafka(),
                namespace,
                "slot",
                settings.transactionalId(),
                settings.transactionTimeout(),
                REQUEST,
                700);
        List<RoutedMessage> large = List.of(new RoutedMessage(
                Rows.row(new UUID(0, 7)),
                List.of(namespace.topic("a")),
                List.of(),
                "key",
                Map.of("long", "x".repeat(1000)),
                false));
        try (KafkaPublisher publisher = KafkaPublisher.open(small)) {
            assertThatThrownBy(() -> publisher.publish(large, batch(1)))
                    .isInstanceOfSatisfying(
                            RefusedException.class, e -> assertThat(e.refused()).satisfies(refused -> {
                                assertThat(refused.messageId()).isEqualTo(new UUID(0, 7));
                                assertThat(refused.topic()).isEqualTo(namespace.topic("a"));
                                assertThat(refused.tooLarge()).isTrue();
                            }));
            assertThat(positions.read()).isEmpty();
            publisher.publish(messages(1), batch(1));
        }
        assertPosition(batch(1));
    }

    /** The producer fails what it has not sent yet with the very error that a record before it met. */
    @Test
    void onlyWhatATopicRefusesIsNamedAndNotWhatWaitedBehindIt() throws Exception {
        try (Admin admin = Admin.create(settings.kafka().with(Map.of()))) {
            admin.createTopics(List.of(new NewTopic(namespace.topic("narrow"), 1, (short) 1)
                            .configs(Map.of("max.message.bytes", "1000"))))
                    .all()
                    .get();
        }
        List<RoutedMessage> waiting = messages(2000);
        List<RoutedMessage> all = new ArrayList<>();
        all.add(new RoutedMessage(
                Rows.row(new UUID(1, 0)),
                List.of(namespace.topic("narrow")),
                List.of(),
                "key",
                Map.of(
                        "long",
                        new Random(7)
                                .ints(2000, 'a', 'z' + 1)
                                .mapToObj(Character::toString)
                                .collect(joining())),
                false));
        all.addAll(waiting);
        try (KafkaPublisher publisher = KafkaPublisher.open(settings)) {
            for (int round = 0; round < 20; round++) {
                assertThatThrownBy(() -> publisher.publish(all, batch(1)))
                        .isInstanceOfSatisfying(RefusedException.class, e -> {
                            assertThat(e.refused().messageId()).isEqualTo(new UUID(1, 0));
                            assertThat(e.refused().topic()).isEqualTo(namespace.topic("narrow"));
                        });
            }
            publisher.publish(waiting, batch(1));
        }
        assertPublished("a", 2000);
    }

    /** Each send waits for a broker that does not answer: 100 of them would take minutes. */
    @Test
    @Timeout(value = 40, unit = TimeUnit.SECONDS)
    void whileKafkaIsAwayABatchFailsAfterOneWaitAndNotOnePerRecord() {
        try (KafkaPublisher publisher = KafkaPublisher.open(settings)) {
            kafka.stop();
            assertThatThrownBy(() -> publisher.publish(messages(100), batch(1))).isInstanceOf(KafkaException.class);
        } finally {
            kafka.start();
        }
        assertThat(positions.read()).isEmpty();
    }
}

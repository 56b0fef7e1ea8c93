package dev.posthaste.testkit;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EmbeddedKafkaTest {

    private static EmbeddedKafka kafka;
    private static KafkaClients clients;

    @BeforeAll
    static void launch() {
        kafka = EmbeddedKafka.launch();
        clients = new KafkaClients(kafka);
    }

    @AfterAll
    static void close() {
        kafka.close();
    }

    @Test
    void readCommittedSeesWhatWasCommittedAndNothingElse() throws Exception {
        clients.createTopic("transactions");
        try (KafkaProducer<String, String> producer = clients.transactionalProducer("transactions-1")) {
            clients.commit(producer, "transactions", "committed");
            clients.abort(producer, "transactions", "aborted");
            clients.commit(producer, "transactions", "committed later");
        }

        assertThat(clients.readAll("transactions", "read_committed")).containsExactly("committed", "committed later");
        assertThat(clients.readAll("transactions", "read_uncommitted"))
                .containsExactly("committed", "aborted", "committed later");
    }

    @Test
    void transactionsAreOfVersionTwo() throws Exception {
        try (var admin = clients.admin()) {
            var features = admin.describeFeatures().featureMetadata().get().finalizedFeatures();

            assertThat(features).hasEntrySatisfying("transaction.version", level -> assertThat(level.maxVersionLevel())
                    .isEqualTo((short) 2));
        }
    }

    @Test
    void topicsAreNotMadeInPassing() throws Exception {
        try (var admin = clients.admin()) {
            assertThatThrownBy(() -> admin.describeTopics(List.of("absent"))
                            .allTopicNames()
                            .get())
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
        }
    }

    @Test
    void recordsAndFencingSurviveAStop() throws Exception {
        clients.createTopic("restart");
        try (KafkaProducer<String, String> before = clients.transactionalProducer("restart-1")) {
            clients.commit(before, "restart", "before");

            kafka.stop();
            kafka.start();

            try (KafkaProducer<String, String> after = clients.transactionalProducer("restart-1")) {
                clients.commit(after, "restart", "after");
            }
            assertThatThrownBy(() -> clients.commit(before, "restart", "fenced"))
                    .isInstanceOf(KafkaException.class);
        }

        assertThat(clients.readAll("restart", "read_committed")).containsExactly("before", "after");
    }

    @Test
    void furtherOptionsAreInForce() throws Exception {
        try (EmbeddedKafka small = EmbeddedKafka.launch(
                        ServerSettings.defaults().withOptions(Map.of("message.max.bytes", "1000")));
                KafkaProducer<String, String> producer = new KafkaClients(small).transactionalProducer("small")) {
            new KafkaClients(small).createTopic("small");

            assertThatThrownBy(() -> new KafkaClients(small).commit(producer, "small", "x".repeat(2000)))
                    .hasStackTraceContaining("RecordTooLarge");
        }
    }

    @Test
    void launchedAgainOnItsDirectoryItHasItsRecords(@TempDir Path directory) throws Exception {
        ServerSettings kept = ServerSettings.defaults().withDirectory(directory);
        try (EmbeddedKafka first = EmbeddedKafka.launch(kept);
                KafkaProducer<String, String> producer = new KafkaClients(first).transactionalProducer("kept")) {
            new KafkaClients(first).createTopic("kept");
            new KafkaClients(first).commit(producer, "kept", "before");
        }
        try (EmbeddedKafka second = EmbeddedKafka.launch(kept)) {
            assertThat(new KafkaClients(second).readAll("kept", "read_committed"))
                    .containsExactly("before");
        }
    }

    @Test
    void closeLeavesNoDirectoryAndNoListener() throws Exception {
        List<Path> before = Leftovers.ofThisJvm();
        EmbeddedKafka closing = EmbeddedKafka.launch();
        assertThat(Leftovers.ofThisJvm()).contains(closing.directory());

        closing.close();
        closing.close();

        assertThat(Leftovers.ofThisJvm()).containsExactlyInAnyOrderElementsOf(before);
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), closing.port()).close())
                .isInstanceOf(ConnectException.class);
        assertThatThrownBy(closing::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }
}

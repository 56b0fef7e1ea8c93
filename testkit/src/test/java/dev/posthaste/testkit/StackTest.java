package dev.posthaste.testkit;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@PosthasteStack
class StackTest {

    private final Stack shared;

    StackTest(Stack shared) {
        this.shared = shared;
    }

    @Test
    void parametersAreTheServersOfTheSharedStack(Stack stack, PostgresServer postgres, KafkaBroker kafka) {
        assertThat(stack).isSameAs(shared);
        assertThat(postgres).isSameAs(shared.postgres());
        assertThat(kafka).isSameAs(shared.kafka());
    }

    @Test
    void twoStacksStandSideBySide() throws Exception {
        try (Stack other = Stack.start(StackSettings.defaults().withKind(StackKind.EMBEDDED))) {
            assertThat(other.postgres().port()).isNotEqualTo(shared.postgres().port());
            assertThat(other.kafka().bootstrapServers())
                    .isNotEqualTo(shared.kafka().bootstrapServers());
            exercise(other);
            exercise(shared);
        }
        exercise(shared);
    }

    @Test
    void portsCanBeChosen() throws Exception {
        int postgresPort = Ports.free();
        int kafkaPort = Ports.free();
        StackSettings settings = StackSettings.defaults()
                .withKind(StackKind.EMBEDDED)
                .withPostgres(ServerSettings.defaults().withPort(postgresPort))
                .withKafka(ServerSettings.defaults().withPort(kafkaPort));

        try (Stack stack = Stack.start(settings)) {
            assertThat(stack.postgres().jdbcUrl("postgres"))
                    .isEqualTo("jdbc:postgresql://127.0.0.1:" + postgresPort + "/postgres");
            assertThat(stack.kafka().bootstrapServers()).isEqualTo("127.0.0.1:" + kafkaPort);
            exercise(stack);
        }
    }

    @Test
    void whenOneServerDoesNotStartTheOtherIsEnded() throws Exception {
        List<Path> before = Leftovers.ofThisJvm();
        StackSettings settings = StackSettings.defaults()
                .withKind(StackKind.EMBEDDED)
                .withPostgres(ServerSettings.defaults().withOptions(Map.of("no_such_option", "1")));

        assertThatThrownBy(() -> Stack.start(settings))
                .isInstanceOf(TestkitException.class)
                .hasMessageContaining("no_such_option");
        assertThat(Leftovers.ofThisJvm()).containsExactlyInAnyOrderElementsOf(before);
    }

    @Test
    void containersGiveTheSame() throws Exception {
        boolean docker = Docker.isAvailable();
        if (!docker) {
            System.out.println("Skipped: no Docker engine answers, so the container path did not run.");
        }
        assumeTrue(docker, "no Docker engine answers");

        try (Stack stack = Stack.start(StackSettings.defaults().withKind(StackKind.CONTAINERS))) {
            exercise(stack);
        }
    }

    @Test
    void containersWithoutDockerAreAnErrorThatSaysSo() {
        assumeFalse(Docker.isAvailable(), "a Docker engine answers");

        assertThatThrownBy(() -> Stack.start(StackSettings.defaults().withKind(StackKind.CONTAINERS)))
                .isInstanceOf(TestkitException.class)
                .hasMessageContaining("no Docker engine answers")
                .hasMessageContaining("-Dposthaste.testkit=embedded");
    }

    @Test
    void containersRefuseADirectoryToKeep(@TempDir Path directory) {
        ServerSettings kept = ServerSettings.defaults().withDirectory(directory);

        assertThatThrownBy(() -> ContainerPostgres.launch(kept)).hasMessageContaining(directory.toString());
        assertThatThrownBy(() -> ContainerKafka.launch(kept)).hasMessageContaining(directory.toString());
    }

    private static void exercise(Stack stack) throws Exception {
        String unique = stack.postgres().createDatabase("exercise");
        try (var connection = stack.postgres().connect(unique)) {
            assertThat(connection.getCatalog()).isEqualTo(unique);
        }
        KafkaClients clients = new KafkaClients(stack.kafka());
        clients.createTopic(unique);
        try (KafkaProducer<String, String> producer = clients.transactionalProducer(unique)) {
            clients.commit(producer, unique, "hello");
        }
        assertThat(clients.readAll(unique, "read_committed")).containsExactly("hello");
    }
}

package dev.posthaste.examples.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.server.config.AbstractKafkaConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.posthaste.examples.docs.ComposeFile.Service;
import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.cli.EnvironmentSettings;
import dev.posthaste.relay.cli.Posthaste;
import dev.posthaste.relay.health.HealthServer;
import dev.posthaste.schemas.catalog.CatalogReader;
import dev.posthaste.testkit.Images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Holds docker-compose.yml against the code, where no Docker engine is at hand: every image, port, variable, path,
 * command and dependency in it exists.
 */
class ComposeFileTest {

    private static final List<String> SETTINGS_READERS = List.of("init", "relay-1", "relay-2");
    private static final Set<String> POSTGRES_VARIABLES = Set.of("POSTGRES_PASSWORD", "POSTGRES_USER", "POSTGRES_DB");
    private static final Set<String> IMAGES_OWN_KAFKA_VARIABLES = Set.of("KAFKA_HEAP_OPTS");

    private ComposeFile compose;

    @BeforeEach
    void readTheFile() throws IOException {
        compose = ComposeFile.read();
    }

    @Test
    void everythingThatBelongsTogetherIsThere() {
        assertThat(compose.services())
                .extracting(Service::name)
                .containsExactlyInAnyOrder(
                        "postgres", "kafka", "init", "relay-1", "relay-2", "lending", "due-notice", "statistics");
    }

    @Test
    void theServersAreTheOnesTheTestsRunOn() {
        assertThat(compose.service("postgres").image()).isEqualTo(Images.POSTGRES);
        assertThat(compose.service("kafka").image()).isEqualTo(Images.KAFKA);
    }

    @Test
    void everyImageOfOursIsAStageOfTheDockerfile() throws IOException {
        assertThat(compose.services().stream().filter(Service::isBuilt))
                .hasSize(6)
                .allSatisfy(service -> assertThat(Dockerfile.read().stages()).containsKey(service.target()));
    }

    @Test
    void everyPortIsPublishedOnLoopbackOnlyAndListenedOn() {
        for (Service service : compose.services()) {
            for (String port : service.ports()) {
                String[] parts = port.split(":");
                assertThat(parts).as(service.name()).hasSize(3);
                assertThat(parts[0]).as(service.name()).isEqualTo("127.0.0.1");
                assertThat(listening(service)).as(service.name()).contains(Integer.valueOf(parts[2]));
            }
        }
    }

    private static List<Integer> listening(Service service) {
        return switch (service.name()) {
            case "postgres" -> List.of(5432);
            case "kafka" -> Kafka.listeners(service);
            default ->
                List.of(EnvironmentSettings.read(service.environment()).http().port());
        };
    }

    @Test
    void theRelaysReadTheirVariablesAndFindTheServers() {
        for (String name : SETTINGS_READERS) {
            RelaySettings settings =
                    EnvironmentSettings.read(compose.service(name).environment());

            assertThat(settings.database().host()).isEqualTo("postgres");
            assertThat(settings.database().port()).isEqualTo(5432);
            assertThat(settings.kafka().bootstrapServers()).isEqualTo(Kafka.advertisedInside(compose.service("kafka")));
            assertThat(settings.http().host()).isEqualTo("0.0.0.0");
        }
    }

    @Test
    void everyVariableOfTheServersIsOne() {
        assertThat(POSTGRES_VARIABLES)
                .containsAll(compose.service("postgres").environment().keySet());
        assertThat(compose.service("kafka").environment().keySet())
                .filteredOn(name -> !IMAGES_OWN_KAFKA_VARIABLES.contains(name))
                .allSatisfy(name -> assertThat(AbstractKafkaConfig.CONFIG_DEF.names())
                        .contains(name.replaceFirst("^KAFKA_", "")
                                .toLowerCase(Locale.ROOT)
                                .replace('_', '.')));
    }

    @Test
    void postgresWritesALogicalWal() {
        assertThat(compose.service("postgres").command()).containsSubsequence("-c", "wal_level=logical");
    }

    @Test
    void everyCommandIsOne() {
        assertThat(compose.services().stream().filter(Service::isBuilt)).allSatisfy(service -> assertThatCode(() ->
                        Posthaste.commandLine().parseArgs(service.command().toArray(String[]::new)))
                .as(service.name())
                .doesNotThrowAnyException());
    }

    @Test
    void theHandlersAreGivenTheirServersAndTheirCatalog() {
        for (String handler : List.of("due-notice", "statistics")) {
            Service service = compose.service(handler);

            assertThat(service.option("kafka")).isEqualTo(Kafka.advertisedInside(compose.service("kafka")));
            assertThat(CatalogReader.read(hostPath(service, service.option("catalog")))
                            .handler(handler))
                    .isPresent();
        }
    }

    @Test
    void theRelaysAreGivenTheirCatalog() {
        for (String name : SETTINGS_READERS) {
            Service service = compose.service(name);
            String inside =
                    EnvironmentSettings.read(service.environment()).catalog().toString();

            assertThat(CatalogReader.read(hostPath(service, inside)).handlers()).hasSize(2);
        }
    }

    /** What is mounted at a path of the container. */
    private static Path hostPath(Service service, String inside) {
        return service.volumes().stream()
                .map(volume -> volume.split(":"))
                .filter(parts -> parts[1].equals(inside))
                .map(parts -> Repository.path(parts[0]))
                .findFirst()
                .orElseThrow(() -> new AssertionError(service.name() + " has nothing mounted at " + inside));
    }

    @Test
    void everyVolumeIsDeclaredOrAPathOfThisCheckout() {
        for (Service service : compose.services()) {
            for (String volume : service.volumes()) {
                String source = volume.split(":")[0];
                if (source.startsWith(".")) {
                    assertThat(Repository.path(source)).exists();
                } else {
                    assertThat(compose.namedVolumes()).contains(source);
                }
            }
        }
    }

    @Test
    void everyDependencyExistsAndCanBecomeTrue() {
        for (Service service : compose.services()) {
            service.dependsOn().forEach((name, condition) -> {
                Service awaited = compose.service(name);
                if (condition.equals("service_healthy")) {
                    assertThat(awaited.healthCheck()).as(name).isNotEmpty();
                } else {
                    assertThat(condition).isEqualTo("service_completed_successfully");
                    assertThat(awaited.settings().get("restart")).as(name).isEqualTo("no");
                }
            });
        }
        assertThat(compose.service("init").dependsOn().keySet()).containsExactlyInAnyOrder("postgres", "kafka");
    }

    @Test
    void everyServiceHasALimitOfMemoryAndARestartPolicy() {
        assertThat(compose.services())
                .allSatisfy(service -> assertThat(service.settings()).containsKeys("mem_limit", "restart"));
    }

    @Test
    void noPasswordStandsOnACommandLine() {
        assertThat(compose.services()).allSatisfy(service -> assertThat(String.join(" ", service.command()))
                .as(service.name())
                .doesNotContain("password"));
    }

    @Test
    void theHealthCheckAsksAnEndpointOfTheRelay() throws Exception {
        for (String name : List.of("relay-1", "relay-2")) {
            List<String> check = compose.service(name).healthCheck();
            assertThat(check).hasSize(3).startsWith("CMD");
            assertThat(Dockerfile.read().copiedTo("relay", check.get(1))).contains("docker/healthcheck");

            assertThat(exitCode(check.get(2), true)).isZero();
            assertThat(exitCode(check.get(2), false)).isNotZero();
            assertThat(exitCode("/not-there", true)).isNotZero();
        }
    }

    private static int exitCode(String path, boolean healthy) throws Exception {
        HealthServer.Answer answer = new HealthServer.Answer(healthy, "{}");
        try (HealthServer server = new HealthServer("127.0.0.1", 0, () -> answer, () -> answer, () -> "")) {
            ProcessBuilder check =
                    new ProcessBuilder(Repository.path("docker/healthcheck").toString(), path);
            check.environment()
                    .put("POSTHASTE_HTTP_PORT", String.valueOf(server.address().getPort()));
            check.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
            Process process = check.start();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        }
    }

    @Test
    void everyPathCopiedIntoAnImageExistsAndThePrograms() throws Exception {
        Dockerfile dockerfile = Dockerfile.read();

        assertThat(dockerfile.copiedFromCheckout()).isNotEmpty().allSatisfy(path -> assertThat(Repository.path(path))
                .exists());
        assertThat(dockerfile.mainClass()).isEqualTo(Posthaste.class.getName());
        assertThat(Files.isExecutable(Repository.path("docker/healthcheck"))).isTrue();
    }

    @Test
    void everyModuleIsBuiltInTheImage() throws IOException {
        assertThat(Dockerfile.read().copiedFromCheckout())
                .contains("pom.xml", ".mvn")
                .containsAll(Repository.modules());
    }

    @Test
    void baseImagesArePinnedAndNobodyRunsAsRoot() throws IOException {
        Dockerfile dockerfile = Dockerfile.read();

        assertThat(dockerfile.baseImages()).isNotEmpty().allSatisfy(image -> assertThat(image)
                .containsPattern(":\\d+\\.\\d+\\.\\d+"));
        assertThat(dockerfile.userOf("relay"))
                .isEqualTo(dockerfile.userOf("example"))
                .isNotIn("root", "0", "");
    }

    /** The listeners of the broker. */
    private static final class Kafka {

        static List<Integer> listeners(Service kafka) {
            return List.of(kafka.environment().get("KAFKA_LISTENERS").split(",")).stream()
                    .map(listener -> Integer.valueOf(listener.substring(listener.lastIndexOf(':') + 1)))
                    .toList();
        }

        static String advertisedInside(Service kafka) {
            Map<String, String> environment = kafka.environment();
            String prefix = environment.get("KAFKA_INTER_BROKER_LISTENER_NAME") + "://";
            return List.of(environment.get("KAFKA_ADVERTISED_LISTENERS").split(",")).stream()
                    .filter(listener -> listener.startsWith(prefix))
                    .map(listener -> listener.substring(prefix.length()))
                    .findFirst()
                    .orElseThrow();
        }
    }
}

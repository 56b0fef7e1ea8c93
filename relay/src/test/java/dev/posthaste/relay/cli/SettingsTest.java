package dev.posthaste.relay.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import dev.posthaste.relay.RelaySettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SettingsTest {

    @TempDir
    private Path directory;

    @Test
    void aFileMayNestItsKeysOrWriteThemWithDots() throws IOException {
        Settings settings = new Settings().file(file("""
                namespace: library
                database:
                  url: postgresql://relay@db/library
                kafka.bootstrapServers: kafka:9092
                batch: {messages: 100, bytes: 1MiB}
                """));

        assertThat(settings.get("database.url")).contains("postgresql://relay@db/library");
        assertThat(settings.get("kafka.bootstrapServers")).contains("kafka:9092");
        assertThat(settings.get("batch.messages")).contains("100");
        assertThat(settings.get("batch.bytes")).contains("1MiB");
        assertThat(settings.get("queue.messages")).isEmpty();
    }

    @Test
    void theEnvironmentWinsOverTheFileAndTheCommandLineOverBoth() throws IOException {
        Path file = file("""
                namespace: of-the-file
                slot: of_the_file
                publication: of_the_file
                catalog: /file
                database: {url: postgresql://file@db/library}
                kafka: {bootstrapServers: 'file:9092'}
                """);

        RelaySettings settings = options(
                        "--config", file.toString(), "--namespace", "of-the-line", "--kafka", "line:9092")
                .read(Map.of("POSTHASTE_SLOT", "of_the_environment", "POSTHASTE_NAMESPACE", "of-the-environment"));

        assertThat(settings.namespace().name()).isEqualTo("of-the-line");
        assertThat(settings.kafka().bootstrapServers()).isEqualTo("line:9092");
        assertThat(settings.slot()).isEqualTo("of_the_environment");
        assertThat(settings.publication()).isEqualTo("of_the_file");
    }

    @Test
    void everyOptionOfTheCommandLineReachesItsSetting() {
        RelaySettings settings = options(
                        "--database", "postgresql://relay@db:5433/library",
                        "--kafka", "kafka:9092",
                        "--catalog", "/catalog",
                        "--namespace", "library",
                        "--slot", "a_slot")
                .read(Map.of("POSTHASTE_DATABASE_PASSWORD", "secret"));

        assertThat(settings.database()).hasToString("relay@db:5433/library");
        assertThat(settings.database().password()).isEqualTo("secret");
        assertThat(settings.catalog()).isEqualTo(Path.of("/catalog"));
        assertThat(settings.slot()).isEqualTo("a_slot");
    }

    @ParameterizedTest
    @CsvSource({
        "kafka.bootstrapServers, POSTHASTE_KAFKA_BOOTSTRAP_SERVERS",
        "requestTimeout, POSTHASTE_REQUEST_TIMEOUT",
        "http.port, POSTHASTE_HTTP_PORT",
        "database.url, POSTHASTE_DATABASE_URL"
    })
    void aVariableIsTheKeyInCapitalsWithUnderscores(String key, String variable) {
        assertThat(Settings.variable(key)).isEqualTo(variable);
    }

    @Test
    void everyKeyCanBeSetByItsVariable() {
        for (String key : Settings.KEYS) {
            Settings settings = new Settings().environment(Map.of(Settings.variable(key), "a value"));
            assertThat(settings.get(key)).as(key).contains("a value");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "nmespace, namespace",
        "batch.message, batch.messages",
        "databse.url, database.url",
        "kafka, kafka.bootstrapServers"
    })
    void anUnknownKeyIsRefusedWithTheNearestKnownOne(String unknown, String nearest) throws IOException {
        Path file = file(unknown + ": x");

        assertThatThrownBy(() -> new Settings().file(file))
                .isInstanceOf(UsageException.class)
                .hasMessage(file + ": " + unknown + " is no setting; did you mean " + nearest + "?");
    }

    @Test
    void anUnknownVariableIsRefusedWithTheNearestKnownOne() {
        assertThatThrownBy(() -> new Settings().environment(Map.of("POSTHASTE_DATABSE_URL", "x")))
                .isInstanceOf(UsageException.class)
                .hasMessage("the environment variable POSTHASTE_DATABSE_URL is no setting;"
                        + " did you mean POSTHASTE_DATABASE_URL?");
    }

    @Test
    void anEmptyVariableIsRefused() {
        assertThatThrownBy(() -> new Settings().environment(Map.of("POSTHASTE_CATALOG", "")))
                .isInstanceOf(UsageException.class)
                .hasMessage(
                        "the environment variable POSTHASTE_CATALOG: catalog has no value; give it one, or leave it out");
    }

    @Test
    void aLogLevelThatLogbackWouldTakeForDebugIsRefused() {
        assertThatThrownBy(() -> new Settings().environment(Map.of("POSTHASTE_LOG_LEVEL", "verbose")))
                .isInstanceOf(UsageException.class)
                .hasMessage("the environment variable POSTHASTE_LOG_LEVEL is \"verbose\","
                        + " but must be one of TRACE, DEBUG, INFO, WARN, ERROR, OFF");
    }

    @Test
    void variablesOfOthersAndThoseOfTheLauncherAreLeftAlone() {
        new Settings()
                .environment(Map.of("PATH", "/bin", "POSTHASTE_LOG_LEVEL", "DEBUG", "POSTHASTE_JAVA_OPTS", "-Xmx256m"));
    }

    @Test
    void kafkaPropertiesComeThroughFileAndEnvironment() throws IOException {
        Settings settings = new Settings()
                .file(file("""
                        kafka:
                          properties:
                            security.protocol: SSL
                            ssl: {truststore: {location: /trust.jks}}
                            sasl.mechanism: PLAIN
                        """))
                .environment(Map.of(
                        "POSTHASTE_KAFKA_PROPERTIES_SASL_MECHANISM", "SCRAM-SHA-512",
                        "POSTHASTE_KAFKA_PROPERTIES_SASL_JAAS_CONFIG", "of the environment"));

        assertThat(settings.below(Settings.KAFKA_PROPERTIES))
                .isEqualTo(Map.of(
                        "security.protocol", "SSL",
                        "ssl.truststore.location", "/trust.jks",
                        "sasl.mechanism", "SCRAM-SHA-512",
                        "sasl.jaas.config", "of the environment"));
    }

    @Test
    void aKafkaPropertyWithoutANameIsRefused() {
        assertThatThrownBy(() -> new Settings().environment(Map.of("POSTHASTE_KAFKA_PROPERTIES_", "x")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("POSTHASTE_KAFKA_PROPERTIES_");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "slot: [a, b]          | slot is a list, but every setting is a single value",
                "slot:                 | slot has no value; give it one, or leave it out",
                "slot: \"\"              | slot has no value; give it one, or leave it out",
                "kafka: {properties: } | kafka.properties is no setting",
                "- slot                | is not a list of settings; write key: value",
                "library               | is not a list of settings; write key: value",
                "slot: {               | is not YAML",
            })
    void aFileThatIsNoListOfSingleValuesIsRefused(String yaml, String rule) throws IOException {
        Path file = file(yaml);

        assertThatThrownBy(() -> new Settings().file(file))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining(rule);
    }

    @Test
    void aKeyThatIsThereTwiceIsRefused() throws IOException {
        Path same = file("slot: a\nslot: b\n");
        assertThatThrownBy(() -> new Settings().file(same)).hasMessageContaining("slot");

        Path nestedAndDotted = file("database: {user: a}\ndatabase.user: b\n");
        assertThatThrownBy(() -> new Settings().file(nestedAndDotted))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("database.user is there twice; keep one");

        Path twoDocuments = file("slot: a\n---\nnamespace: b\n");
        assertThatThrownBy(() -> new Settings().file(twoDocuments)).isInstanceOf(UsageException.class);
    }

    @Test
    void anEmptyFileSetsNothing() throws IOException {
        assertThat(new Settings().file(file("")).get("slot")).isEmpty();
        assertThat(new Settings().file(file("# nothing yet\n")).get("slot")).isEmpty();
    }

    @Test
    void aFileThatIsNotThereIsRefused() {
        assertThatThrownBy(() -> new Settings().file(directory.resolve("missing.yaml")))
                .isInstanceOf(UsageException.class)
                .hasMessage("the settings file " + directory.resolve("missing.yaml")
                        + " cannot be read: NoSuchFileException");
    }

    @Test
    void aMissingSettingIsNamedWithTheThreeWaysToSetIt() {
        assertThatThrownBy(() -> new Settings().require("kafka.bootstrapServers"))
                .isInstanceOf(UsageException.class)
                .hasMessage("kafka.bootstrapServers is not set; set it in the settings file, as"
                        + " POSTHASTE_KAFKA_BOOTSTRAP_SERVERS, or on the command line");
    }

    private static SettingsOptions options(String... arguments) {
        SettingsOptions options = new SettingsOptions();
        new CommandLine(CommandLine.Model.CommandSpec.create()
                        .addMixin("options", CommandLine.Model.CommandSpec.forAnnotatedObject(options)))
                .parseArgs(arguments);
        return options;
    }

    private Path file(String yaml) throws IOException {
        return Files.writeString(Files.createTempFile(directory, "settings", ".yaml"), yaml);
    }
}

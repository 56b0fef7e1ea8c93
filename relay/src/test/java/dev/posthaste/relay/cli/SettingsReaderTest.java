package dev.posthaste.relay.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.relay.RelaySettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SettingsReaderTest {

    private final Settings settings = new Settings();

    SettingsReaderTest() {
        set("namespace", "library.eu-1");
        set("database.url", "postgresql://relay@db/library");
        set("kafka.bootstrapServers", "kafka:9092");
        set("catalog", "/catalog");
    }

    @Test
    void fourSettingsAreEnoughAndTheRestHasDefaults() {
        RelaySettings read = read();

        assertThat(read.slot()).isEqualTo("posthaste_library_eu_1");
        assertThat(read.publication()).isEqualTo("posthaste");
        assertThat(read.catalog()).isEqualTo(Path.of("/catalog"));
        assertThat(read.lease()).isEqualTo(Duration.ofSeconds(3));
        assertThat(read.batch()).isEqualTo(new RelaySettings.Bounds(2_000, 8L << 20));
        assertThat(read.queue()).isEqualTo(new RelaySettings.Bounds(8_192, 16L << 20));
        assertThat(read.poll()).isEqualTo(Duration.ofMillis(5));
        assertThat(read.http()).isEqualTo(new RelaySettings.HttpSettings("127.0.0.1", 8080));
        assertThat(read.database().port()).isEqualTo(5432);
    }

    @Test
    void everySettingReachesItsPlace() {
        set("slot", "a_slot");
        set("publication", "a_publication");
        set("lease", "5s");
        set("batch.messages", "10");
        set("batch.bytes", "1KiB");
        set("queue.messages", "20");
        set("queue.bytes", "2MiB");
        set("poll", "7ms");
        set("heartbeat", "8s");
        set("requestTimeout", "9s");
        set("drain", "1m");
        set("http.host", "0.0.0.0");
        set("http.port", "0");
        set("kafka.properties.security.protocol", "SSL");

        RelaySettings read = read();

        assertThat(read.slot()).isEqualTo("a_slot");
        assertThat(read.publication()).isEqualTo("a_publication");
        assertThat(read.lease()).isEqualTo(Duration.ofSeconds(5));
        assertThat(read.batch()).isEqualTo(new RelaySettings.Bounds(10, 1024));
        assertThat(read.queue()).isEqualTo(new RelaySettings.Bounds(20, 2L << 20));
        assertThat(read.poll()).isEqualTo(Duration.ofMillis(7));
        assertThat(read.heartbeat()).isEqualTo(Duration.ofSeconds(8));
        assertThat(read.requestTimeout()).isEqualTo(Duration.ofSeconds(9));
        assertThat(read.drain()).isEqualTo(Duration.ofMinutes(1));
        assertThat(read.http()).isEqualTo(new RelaySettings.HttpSettings("0.0.0.0", 0));
        assertThat(read.kafka().properties()).isEqualTo(Map.of("security.protocol", "SSL"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"namespace", "database.url", "kafka.bootstrapServers", "catalog"})
    void aMissingSettingIsNamed(String key) {
        Settings without = new Settings();
        for (String other : new String[] {"namespace", "database.url", "kafka.bootstrapServers", "catalog"}) {
            if (!other.equals(key)) {
                without.set(other, settings.get(other).orElseThrow(), "a test");
            }
        }

        assertThatThrownBy(() -> new SettingsReader(without).read())
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith(key + " is not set");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "namespace              | Library      | must match",
                "slot                   | a-slot       | lower-case letters, digits and underscores",
                "kafka.bootstrapServers | kafka        | host:port",
                "kafka.bootstrapServers | a:1,b        | host:port",
                "lease                  | 3            | a whole number and a unit",
                "lease                  | 100ms        | must be at least 1000 ms",
                "lease                  | 1h           | longer than 2m, the most it may be",
                "batch.messages         | many         | is not a whole number",
                "batch.messages         | 0            | is less than 1",
                "batch.messages         | 99999999999  | is not a whole number",
                "batch.bytes            | 8MB          | B, KiB, MiB or GiB",
                "batch.bytes            | 0            | is less than 1 byte",
                "queue.messages         | -1           | is less than 1",
                "queue.bytes            | 1.5MiB       | B, KiB, MiB or GiB",
                "queue.bytes            | 99999999999GiB | is more than the 8 EiB",
                "poll                   | fast         | a whole number and a unit",
                "heartbeat              | 5 s          | a whole number and a unit",
                "requestTimeout         | 999999999d   | longer than 5m, the most it may be",
                "drain                  | -1s          | a whole number and a unit",
                "http.port              | http         | is not a whole number",
                "http.port              | 65536        | is no port",
                "http.port              | -1           | is no port",
            })
    void aBadValueIsRefusedNamingKeyValueAndRule(String key, String value, String rule) {
        set(key, value);

        assertThatThrownBy(this::read)
                .isInstanceOfAny(UsageException.class, IllegalArgumentException.class)
                .hasMessageContaining(key)
                .message()
                .contains(rule)
                .contains(value.equals("100ms") ? "100 ms" : "\"" + value + "\"");
    }

    @Test
    void pollMustBeShorterThanHeartbeat() {
        set("poll", "5s");
        set("heartbeat", "5s");

        assertThatThrownBy(this::read).hasMessageContaining("poll is 5000 ms and heartbeat is 5000 ms");
    }

    @ParameterizedTest
    @ValueSource(strings = {"acks", "transactional.id", "enable.idempotence", "isolation.level", "bootstrap.servers"})
    void aKafkaPropertyThatTheRelayOwnsIsRefused(String property) {
        set("kafka.properties." + property, "x");

        assertThatThrownBy(this::read)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("kafka.properties has " + property)
                .hasMessageContaining("remove it");
    }

    private RelaySettings read() {
        return new SettingsReader(settings).read();
    }

    private void set(String key, String value) {
        settings.set(key, value, "a test");
    }
}

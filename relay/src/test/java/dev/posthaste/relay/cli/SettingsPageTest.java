package dev.posthaste.relay.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import dev.posthaste.relay.RelaySettings;

import static org.assertj.core.api.Assertions.assertThat;

/** docs/settings.md has every setting, with its variable and its default. */
class SettingsPageTest {

    private static final Map<String, String> REQUIRED = Map.of(
            "namespace", "library",
            "catalog", "catalog",
            "database.url", "postgresql://relay@localhost/library",
            "kafka.bootstrapServers", "localhost:9092");

    private record Row(String key, String variable, String defaultText) {}

    @Test
    void everySettingHasARowAndEveryRowIsASetting() throws IOException {
        assertThat(rows()).extracting(Row::key).containsExactlyElementsOf(Settings.KEYS);
    }

    @Test
    void theVariablesAreTheOnesThatAreRead() throws IOException {
        assertThat(rows()).allSatisfy(row -> assertThat(row.variable()).isEqualTo(Settings.variable(row.key())));
    }

    @Test
    void theRequiredOnesAreRequired() throws IOException {
        assertThat(rows().stream().filter(row -> row.defaultText().equals("required")))
                .extracting(Row::key)
                .containsExactlyInAnyOrderElementsOf(REQUIRED.keySet());
    }

    @Test
    void theDefaultsAreTheOnesTaken() throws IOException {
        List<Row> withDefault = rows().stream()
                .filter(row -> row.defaultText().startsWith("`") && !row.key().equals("slot"))
                .toList();
        assertThat(withDefault).hasSize(12);
        for (Row row : withDefault) {
            String value = row.defaultText().replace("`", "");

            assertThat(read(row.key(), value)).as(row.key()).isEqualTo(read("slot", "posthaste_library"));
        }
    }

    private static RelaySettings read(String key, String value) {
        Settings settings = new Settings();
        REQUIRED.forEach((name, text) -> settings.set(name, text, "the test"));
        settings.set(key, value, "the page");
        return new SettingsReader(settings).read();
    }

    private static List<Row> rows() throws IOException {
        return Files.readAllLines(Path.of("..", "docs", "settings.md")).stream()
                .filter(line -> line.startsWith("| `"))
                .map(line -> Stream.of(line.split("\\|")).map(String::strip).toList())
                .map(cells ->
                        new Row(cells.get(1).replace("`", ""), cells.get(2).replace("`", ""), cells.get(3)))
                .toList();
    }
}

package dev.posthaste.examples.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** docs/metrics.md has every meter that relay and consumer register, under its name in Prometheus, and no other. */
class MetricsPageTest {

    private static final String PAGE = "docs/metrics.md";
    private static final Pattern METER = Pattern.compile("\"(posthaste\\.[a-z.]+)\"");
    private static final Pattern REGISTERED =
            Pattern.compile("(Counter|Timer|Gauge|MultiGauge)\\.builder\\(\\s*\"(posthaste\\.[a-z.]+)\"");
    private static final Pattern NAME = Pattern.compile("`posthaste_\\w+`");

    @Test
    void theRelaysMetersAreOnThePage() throws IOException {
        assertThat(namesIn("Relay")).isEqualTo(registeredIn("relay"));
    }

    @Test
    void theConsumersMetersAreOnThePage() throws IOException {
        assertThat(namesIn("Consumer")).isEqualTo(registeredIn("consumer-sdk"));
    }

    @Test
    void everyMeterHasItsTypeItsMeaningAndItsAlert() throws IOException {
        assertThat(Repository.rows(PAGE, NAME)).hasSizeGreaterThan(10).allSatisfy(row -> {
            assertThat(row).hasSize(5).doesNotContain("");
            assertThat(row.get(0).replace("`", "")).endsWith(suffix(row.get(1)));
        });
    }

    private static Set<String> namesIn(String section) throws IOException {
        return Repository.read(PAGE)
                .split("\n## " + section + "\n")[1]
                .split("\n## ")[0]
                .lines()
                .filter(line -> line.startsWith("| `posthaste_"))
                .map(line -> Repository.quoted(line).get(0))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** By the sources, since counters with labels are registered when they first count. */
    private static Set<String> registeredIn(String module) throws IOException {
        Set<String> names = new TreeSet<>();
        Set<String> typed = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Repository.path(module).resolve("src/main/java"))) {
            for (Path file :
                    files.filter(name -> name.toString().endsWith(".java")).toList()) {
                String source = Files.readString(file);
                if (!source.contains("io.micrometer.core.instrument")) {
                    continue;
                }
                REGISTERED.matcher(source).results().forEach(meter -> {
                    typed.add(meter.group(2));
                    names.add(inPrometheus(meter.group(2)) + suffix(meter.group(1)));
                });
                METER.matcher(source)
                        .results()
                        .map(meter -> meter.group(1))
                        .filter(meter -> !typed.contains(meter))
                        .forEach(meter -> names.add(inPrometheus(meter)));
            }
        }
        return names;
    }

    private static String inPrometheus(String meter) {
        return meter.replace('.', '_');
    }

    private static String suffix(String type) {
        return switch (type) {
            case "Counter", "counter" -> "_total";
            case "Timer", "timer" -> "_seconds";
            default -> "";
        };
    }
}

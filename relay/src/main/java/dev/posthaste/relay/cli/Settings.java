package dev.posthaste.relay.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;

/**
 * Settings by dotted key, from a YAML file, environment variables and the command line, the later ones winning. An
 * unknown key is refused with the nearest known one. Not thread-safe.
 */
final class Settings {

    /** Every key there is. */
    static final List<String> KEYS = List.of(
            "namespace",
            "slot",
            "publication",
            "catalog",
            "database.url",
            "database.user",
            "database.password",
            "kafka.bootstrapServers",
            "lease",
            "batch.messages",
            "batch.bytes",
            "queue.messages",
            "queue.bytes",
            "poll",
            "heartbeat",
            "requestTimeout",
            "drain",
            "http.host",
            "http.port");

    /** Below it any Kafka client property may stand. */
    static final String KAFKA_PROPERTIES = "kafka.properties.";

    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private static final String ENVIRONMENT_PREFIX = "POSTHASTE_";

    private static final String LOG_LEVEL = "POSTHASTE_LOG_LEVEL";

    private static final List<String> LOG_LEVELS = List.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF");

    /** Variables of ours that are no settings. */
    private static final List<String> OTHER_VARIABLES = List.of(LOG_LEVEL, "POSTHASTE_JAVA_OPTS");

    private final Map<String, String> values = new TreeMap<>();

    /** Takes the settings of a file. */
    Settings file(Path file) {
        JsonNode root;
        try {
            root = YAML.readTree(Files.readAllBytes(file));
        } catch (JacksonException e) {
            throw new UsageException(file + " is not YAML: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new UsageException("the settings file " + file + " cannot be read: "
                    + e.getClass().getSimpleName());
        }
        if (root != null && !root.isMissingNode() && !root.isNull()) {
            if (!root.isObject()) {
                throw new UsageException(file + " is not a list of settings; write key: value, one a line");
            }
            flatten("", root, file.toString(), new HashSet<>());
        }
        return this;
    }

    private void flatten(String prefix, JsonNode node, String where, Set<String> seen) {
        if (node.isObject()) {
            node.properties()
                    .forEach(entry -> flatten(
                            prefix.isEmpty() ? entry.getKey() : prefix + "." + entry.getKey(),
                            entry.getValue(),
                            where,
                            seen));
            return;
        }
        requireKnown(prefix, where);
        if (!node.isValueNode()) {
            throw new UsageException(where + ": " + prefix + " is a list, but every setting is a single value");
        }
        if (!seen.add(prefix)) {
            throw new UsageException(where + ": " + prefix + " is there twice; keep one");
        }
        set(prefix, node.asText(""), where);
    }

    /** Takes the settings of the environment. */
    Settings environment(Map<String, String> environment) {
        String level = environment.getOrDefault(LOG_LEVEL, "INFO");
        if (!LOG_LEVELS.contains(level)) {
            throw new UsageException("the environment variable " + LOG_LEVEL + " is \"" + level
                    + "\", but must be one of " + String.join(", ", LOG_LEVELS));
        }
        environment.forEach((name, value) -> {
            if (name.startsWith(ENVIRONMENT_PREFIX) && !OTHER_VARIABLES.contains(name)) {
                set(keyOfVariable(name), value, "the environment variable " + name);
            }
        });
        return this;
    }

    private static String keyOfVariable(String name) {
        String kafkaPrefix = variable(KAFKA_PROPERTIES);
        if (name.startsWith(kafkaPrefix)) {
            return KAFKA_PROPERTIES
                    + name.substring(kafkaPrefix.length())
                            .toLowerCase(Locale.ROOT)
                            .replace('_', '.');
        }
        return KEYS.stream()
                .filter(key -> variable(key).equals(name))
                .findFirst()
                .orElseThrow(() -> new UsageException("the environment variable " + name
                        + " is no setting; did you mean "
                        + nearest(name, KEYS.stream().map(Settings::variable).toList()) + "?"));
    }

    /** The name of a setting's environment variable. */
    static String variable(String key) {
        return ENVIRONMENT_PREFIX
                + key.replaceAll("([a-z])([A-Z])", "$1_$2").replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /** Takes one setting. */
    Settings set(String key, String value, String where) {
        requireKnown(key, where);
        if (value.isEmpty()) {
            throw new UsageException(where + ": " + key + " has no value; give it one, or leave it out");
        }
        values.put(key, value);
        return this;
    }

    private static void requireKnown(String key, String where) {
        boolean kafkaProperty = key.startsWith(KAFKA_PROPERTIES) && key.length() > KAFKA_PROPERTIES.length();
        if (!kafkaProperty && !KEYS.contains(key)) {
            throw new UsageException(where + ": " + key + " is no setting; did you mean " + nearest(key, KEYS) + "?");
        }
    }

    /** The value of a setting. */
    Optional<String> get(String key) {
        return Optional.ofNullable(values.get(key));
    }

    /** The value of a setting that must be there. */
    String require(String key) {
        return get(key).orElseThrow(() -> new UsageException(
                key + " is not set; set it in the settings file, as " + variable(key) + ", or on the command line"));
    }

    /** All settings below a prefix, without it. */
    Map<String, String> below(String prefix) {
        Map<String, String> found = new TreeMap<>();
        values.forEach((key, value) -> {
            if (key.startsWith(prefix)) {
                found.put(key.substring(prefix.length()), value);
            }
        });
        return found;
    }

    private static String nearest(String name, List<String> known) {
        return known.stream()
                .min(Comparator.comparingInt(
                        candidate -> candidate.startsWith(name + ".") ? 0 : Spelling.distance(name, candidate)))
                .orElseThrow();
    }
}

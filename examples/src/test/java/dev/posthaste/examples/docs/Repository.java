package dev.posthaste.examples.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of this checkout, as the documentation's tests read them. */
final class Repository {

    /** Maven runs a module's tests in the module's folder. */
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private Repository() {}

    static Path path(String name) {
        return ROOT.resolve(name);
    }

    static String read(String name) throws IOException {
        return Files.readString(path(name));
    }

    /** The contents of a Markdown page's code blocks in one language. */
    static List<String> blocks(String page, String language) throws IOException {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(read(page))
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    /** The Markdown pages: those at the top, and all below docs. */
    static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(path("docs"))) {
            return Stream.concat(top, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    /** Cells of every table row of a page whose first cell matches; without the header. */
    static List<List<String>> rows(String page, Pattern firstCell) throws IOException {
        return read(page)
                .lines()
                .filter(line -> line.startsWith("|"))
                .map(line -> Stream.of(line.substring(1).split("(?<!\\\\)\\|"))
                        .map(String::strip)
                        .toList())
                .filter(cells -> firstCell.matcher(cells.get(0)).matches())
                .toList();
    }

    /** The folders of Maven's modules. */
    static List<String> modules() throws IOException {
        return Pattern.compile("<module>([^<]+)</module>")
                .matcher(read("pom.xml"))
                .results()
                .map(module -> module.group(1))
                .toList();
    }

    /** What stands in backquotes. */
    static List<String> quoted(String text) {
        return Pattern.compile("`([^`]+)`")
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    /** The targets of a page's links to files, without anchors. */
    static List<String> links(String text) {
        Matcher matcher = Pattern.compile("\\]\\(([^)#\\s]+)(#[^)]*)?\\)").matcher(text);
        return matcher.results()
                .map(match -> match.group(1))
                .filter(target -> !target.contains("://"))
                .toList();
    }
}

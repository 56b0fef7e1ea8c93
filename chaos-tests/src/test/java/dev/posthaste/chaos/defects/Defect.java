package dev.posthaste.chaos.defects;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import dev.posthaste.chaos.check.Invariant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lines of the product that are replaced by wrong ones, and what must come of it.
 *
 * @param name what is done wrong
 * @param edits several where one guard stands behind another
 * @param scenario the one that is meant to find it
 * @param found one of these at least is what it must find
 */
record Defect(String name, List<Edit> edits, String scenario, List<Invariant> found) {

    private static final Path CHECKOUT = Path.of("..");

    /**
     * A line that is replaced.
     *
     * @param source the class's source, from the checkout's root
     * @param right the line as it is
     * @param wrong what takes its place
     */
    record Edit(String source, String right, String wrong) {

        /** Fails if there is no such line any more, so that no defect is applied in name only. */
        String applyTo(String code) {
            assertThat(code.split(Pattern.quote(right), -1))
                    .as("%s stands once in %s", right, source)
                    .hasSize(2);
            return code.replace(right, wrong);
        }
    }

    Defect(String name, String source, String right, String wrong, String scenario, List<Invariant> found) {
        this(name, List.of(new Edit(source, right, wrong)), scenario, found);
    }

    Defect with(String source, String right, String wrong) {
        List<Edit> more = new ArrayList<>(edits);
        more.add(new Edit(source, right, wrong));
        return new Defect(name, more, scenario, found);
    }

    /** Compiles the broken classes. */
    Path applyIn(Path directory) throws IOException {
        Map<String, String> broken = new LinkedHashMap<>();
        for (Edit edit : edits) {
            String code = broken.getOrDefault(edit.source(), Files.readString(CHECKOUT.resolve(edit.source())));
            broken.put(edit.source(), edit.applyTo(code));
        }
        Path sources = Files.createDirectories(directory.resolve("source"));
        List<Path> files = new ArrayList<>();
        for (Map.Entry<String, String> one : broken.entrySet()) {
            files.add(Files.writeString(sources.resolve(Path.of(one.getKey()).getFileName()), one.getValue()));
        }
        Path classes = Files.createDirectories(directory.resolve("classes"));
        compile(files, classes);
        return classes;
    }

    private void compile(List<Path> sources, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-d",
                    classes.toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "--release",
                    "17",
                    "-proc:none",
                    "-parameters",
                    "-nowarn");
            assertThat(compiler.getTask(null, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                            .call())
                    .as("%s compiles", name)
                    .isTrue();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}

package dev.posthaste.chaos.defects;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import dev.posthaste.chaos.check.Invariant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A line of the product that is replaced by a wrong one, and what must come of it.
 *
 * @param name what is done wrong
 * @param source the class's source, from the checkout's root
 * @param right the line as it is
 * @param wrong what takes its place
 * @param scenario the one that is meant to find it
 * @param found one of these at least is what it must find
 */
record Defect(String name, String source, String right, String wrong, String scenario, List<Invariant> found) {

    private static final Path CHECKOUT = Path.of("..");

    /**
     * Compiles the broken class; fails if there is no such line any more, so that no defect is applied in name only.
     */
    Path applyIn(Path directory) throws IOException {
        String code = Files.readString(CHECKOUT.resolve(source));
        assertThat(code.split(Pattern.quote(right), -1))
                .as("%s stands once in %s", right, source)
                .hasSize(2);
        Path broken = Files.createDirectories(directory.resolve("source"))
                .resolve(Path.of(source).getFileName());
        Files.writeString(broken, code.replace(right, wrong));
        Path classes = Files.createDirectories(directory.resolve("classes"));
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
            assertThat(compiler.getTask(null, files, null, options, null, files.getJavaFileObjects(broken))
                            .call())
                    .as("%s compiles", name)
                    .isTrue();
        }
        return classes;
    }

    @Override
    public String toString() {
        return name;
    }
}

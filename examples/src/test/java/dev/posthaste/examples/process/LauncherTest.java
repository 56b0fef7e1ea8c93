package dev.posthaste.examples.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** {@code ./posthaste}, where it need not build first. */
class LauncherTest {

    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();

    @TempDir
    private Path directory;

    @BeforeEach
    void requireThatItIsBuilt() throws IOException {
        Path stamp = HOME.resolve("examples/target/posthaste.built");
        assumeTrue(Files.exists(stamp), "./posthaste was never run here and would build");
        FileTime built = Files.getLastModifiedTime(stamp);
        try (Stream<Path> files = Files.walk(HOME)) {
            assumeTrue(
                    files.filter(LauncherTest::isSource)
                            .noneMatch(file -> modified(file).compareTo(built) > 0),
                    "a source is newer than the last ./posthaste, which would build");
        }
    }

    private static boolean isSource(Path file) {
        String path = HOME.relativize(file).toString();
        return Files.isRegularFile(file)
                && !path.contains("/target/")
                && (path.contains("/src/main/") || file.endsWith("pom.xml"));
    }

    private static FileTime modified(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void itRunsFromAnywhereAndThroughALink() throws Exception {
        Path link = Files.createSymbolicLink(directory.resolve("linked"), HOME.resolve("posthaste"));

        assertThat(run(link, "version")).startsWith("posthaste ").endsWith("exit 0");
        assertThat(run(link, "no-such-command")).endsWith("exit 2");
    }

    private String run(Path program, String argument) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(program.toString(), argument)
                .directory(directory.toFile())
                .redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return output + "exit " + process.waitFor();
    }
}

package dev.posthaste.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The command builds before it runs; here with a build of no account. */
class WrapperTest {

    @TempDir
    private Path home;

    @BeforeEach
    void copyIt() throws IOException {
        script("posthaste", Files.readString(Path.of("..", "posthaste")));
    }

    private void script(String name, String text) throws IOException {
        Path file = Files.writeString(home.resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private int run(String mvn) throws Exception {
        script("mvn", "#!/bin/sh\necho \"$@\" > \"$(dirname \"$0\")/arguments\"\n" + mvn);
        script("java", "#!/bin/sh\nexit 7\n");
        ProcessBuilder wrapper = new ProcessBuilder(home.resolve("posthaste").toString(), "chaos", "list")
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("output").toFile());
        wrapper.environment().remove("JAVA_HOME");
        wrapper.environment().merge("PATH", home.toString(), (path, first) -> first + ":" + path);
        Process process = wrapper.start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Test
    void aBuildThatFailsEndsItAndLeavesNoStamp() throws Exception {
        assertThat(run("exit 3\n")).isEqualTo(3);

        assertThat(home.resolve("examples/target")).isEmptyDirectory();
    }

    @Test
    void aBuildLeavesItsStampAndDoesNotAskForTheFormat() throws Exception {
        assertThat(run("exit 0\n")).isEqualTo(7);

        assertThat(home.resolve("examples/target")).isDirectoryContaining("glob:**/posthaste.built");
        assertThat(home.resolve("arguments")).content().contains("-Dspotless.check.skip=true");
    }
}

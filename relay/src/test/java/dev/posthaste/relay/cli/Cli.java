package dev.posthaste.relay.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

import picocli.CommandLine;

/**
 * One run of {@code posthaste} in this process.
 *
 * @param exitCode its exit code
 * @param out what it printed
 * @param err what it complained
 */
record Cli(int exitCode, String out, String err) {

    static Cli run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Posthaste.commandLine();
        line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        int exitCode = line.execute(arguments);
        return new Cli(exitCode, out.toString(), err.toString());
    }

    List<String> outLines() {
        return out.lines().toList();
    }

    List<String> errLines() {
        return err.lines().toList();
    }
}

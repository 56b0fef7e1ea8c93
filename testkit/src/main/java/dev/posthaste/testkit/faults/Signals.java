package dev.posthaste.testkit.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.posthaste.testkit.TestkitException;

/** Sends signals that Java cannot. */
public final class Signals {

    private Signals() {}

    /**
     * Sends one, of that name without {@code SIG}.
     *
     * @throws TestkitException when the system refuses, as for processes of another user
     */
    public static void send(String signal, long pid) {
        if (!isSent(signal, pid)) {
            throw new TestkitException("SIG" + signal + " could not be sent to process " + pid + ".", null);
        }
    }

    /** The same; false if the system refuses. */
    public static boolean isSent(String signal, long pid) {
        try {
            return new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TestkitException("Interrupted while a signal was sent.", e);
        }
    }

    /** Whether a process is stopped now, as SIGSTOP leaves it; false if there is none of that id. */
    public static boolean isStopped(long pid) {
        try {
            return state(pid).startsWith("T");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * As ps(1) shows it. Linux tells it without ps, which small machines lack: after the name, which ends with the last
     * parenthesis.
     */
    private static String state(long pid) throws IOException {
        Path told = Path.of("/proc", Long.toString(pid), "stat");
        if (Files.exists(told)) {
            String stat = Files.readString(told, StandardCharsets.ISO_8859_1);
            return stat.substring(stat.lastIndexOf(')') + 1).strip();
        }
        Process ps = new ProcessBuilder("ps", "-o", "stat=", "-p", Long.toString(pid)).start();
        return new String(ps.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
    }
}

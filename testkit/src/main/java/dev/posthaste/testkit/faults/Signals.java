package dev.posthaste.testkit.faults;

import java.io.IOException;
import java.io.UncheckedIOException;

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
}

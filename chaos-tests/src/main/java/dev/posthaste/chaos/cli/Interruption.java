package dev.posthaste.chaos.cli;

import java.io.PrintWriter;

/** Says what there is of a run when the process is ended under way, as by Ctrl-C. */
final class Interruption implements AutoCloseable {

    private final Thread atExit;

    private Interruption(Thread atExit) {
        this.atExit = atExit;
    }

    /** From now on until it is closed. */
    static Interruption of(RunningReport report, PrintWriter out) {
        Thread atExit = new Thread(
                () -> {
                    out.println();
                    report.interrupt().forEach(out::println);
                    out.flush();
                },
                "chaos-interrupted");
        Runtime.getRuntime().addShutdownHook(atExit);
        return new Interruption(atExit);
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // the process ends already, and it is told
        }
    }
}

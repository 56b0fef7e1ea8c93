package dev.posthaste.chaos.cli;

import java.io.PrintWriter;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.scenario.Progress;

/** Tells every phase, and how things stand about every five seconds. Thread-safe. */
final class ConsoleProgress implements Progress {

    private static final int TOLD_EVERY = 5;

    private final PrintWriter out;
    private String phase = "";
    private int samples;

    ConsoleProgress(PrintWriter out) {
        this.out = out;
    }

    @Override
    public synchronized void begins(String scenario) {
        say("== " + scenario);
    }

    @Override
    public synchronized void phase(String name) {
        phase = name;
        samples = 0;
        say("   " + name);
    }

    @Override
    public synchronized void sample(Entry.Sample sample) {
        if (samples++ % TOLD_EVERY == 0) {
            say("   " + phase + ": " + sample.published() + " published, " + sample.pending() + " pending, "
                    + sample.effects() + " effects, relays " + sample.relays());
        }
    }

    @Override
    public synchronized void note(String text) {
        say("   " + text);
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }
}

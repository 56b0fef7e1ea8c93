package dev.posthaste.chaos.cli;

import java.io.PrintWriter;
import java.time.Clock;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.scenario.Progress;

/**
 * Tells every phase, and how things stand about every five seconds, each with the time. What stands for the numbers of
 * records and effects are places that something has come to, so it says <i>up to</i>. Thread-safe.
 */
final class ConsoleProgress implements Progress {

    private static final int TOLD_EVERY = 5;

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    private final PrintWriter out;
    private final Clock clock;
    private String phase = "";
    private int samples;

    /**
     * Tells it there.
     *
     * @param clock in the zone whose time is shown
     */
    ConsoleProgress(PrintWriter out, Clock clock) {
        this.out = out;
        this.clock = clock;
    }

    @Override
    public synchronized void begins(String scenario) {
        say("== " + scenario);
        phase("starting servers");
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
            say("   " + phase + ": first topic up to "
                    + orUnknown(sample.published()) + ", " + orUnknown(sample.pending()) + " pending, effects up to "
                    + orUnknown(sample.effects()) + ", " + orUnknown(sample.calls()) + " calls answered, relays "
                    + sample.relays());
        }
    }

    @Override
    public synchronized void note(String text) {
        say("   " + text);
    }

    private static String orUnknown(@Nullable Long number) {
        return number == null ? "?" : number.toString();
    }

    private void say(String line) {
        out.println(TIME.format(LocalTime.now(clock)) + " " + line);
        out.flush();
    }
}

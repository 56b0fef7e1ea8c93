package dev.posthaste.chaos.load;

import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A process that stages messages at a rate, in transactions of all kinds, and writes the history of what it asked for
 * and was answered. It outlives every failure of the database. It ends within seconds once its input is closed, its
 * stop file is there, or SIGTERM comes; {@link LoadSettings} names what its environment may say.
 */
public final class LoadProcess {

    private static final long END_SECONDS_MAX = 15;
    private static final long LOOK_MILLIS = 100;

    private LoadProcess() {}

    /** Runs it. */
    public static void main(String[] arguments) throws Exception {
        LoadSettings settings = LoadSettings.of(System.getenv());
        StopSignal stop = new StopSignal();
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stopAndWait(stop, ended), "chaos-load-shutdown"));
        daemon("chaos-load-input", () -> stopWithInput(stop));
        daemon("chaos-load-stop-file", () -> stopWithFile(settings, stop));
        try {
            new Load(settings, stop).run();
        } finally {
            ended.countDown();
        }
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void stopAndWait(StopSignal stop, CountDownLatch ended) {
        stop.give();
        try {
            if (!ended.await(END_SECONDS_MAX, TimeUnit.SECONDS)) {
                System.err.println("a transaction is still in hand: it has an intent and no outcome in the history");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void stopWithInput(StopSignal stop) {
        try {
            while (System.in.read() >= 0) {
                // whatever is said, only its end counts
            }
        } catch (IOException e) {
            // its end as well
        }
        stop.give();
    }

    private static void stopWithFile(LoadSettings settings, StopSignal stop) {
        settings.stopFile().ifPresent(file -> {
            while (!Files.exists(file) && !stop.await(LOOK_MILLIS)) {
                // looks again
            }
            stop.give();
        });
    }
}

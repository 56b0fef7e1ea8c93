package dev.posthaste.chaos.load;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import dev.posthaste.chaos.history.HistoryWriter;

/** All writers of a load, each on a thread of its own. */
final class Load {

    private static final long TRANSACTIONS_PER_MICROSECOND = 1_000;

    private final LoadSettings settings;
    private final StopSignal stop;

    Load(LoadSettings settings, StopSignal stop) {
        this.settings = settings;
        this.stop = stop;
    }

    /**
     * Runs until it is told to stop and nothing is in hand any more; where there are only extras, until they are done.
     *
     * @throws ExecutionException when a writer failed for another reason than its database, as when the history cannot
     *     be written
     */
    void run() throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (HistoryWriter history = HistoryWriter.open(unused(settings.history()))) {
            AtomicLong transactions = new AtomicLong(firstTransaction());
            List<Future<?>> all = new ArrayList<>();
            for (Consumer<Writer> work : works()) {
                int number = all.size();
                all.add(threads.submit(() -> {
                    try (Writer writer = new Writer(settings, number, history, transactions, stop)) {
                        work.accept(writer);
                    } catch (RuntimeException e) {
                        stop.give(); // the others must not hide that this one is gone
                        throw e;
                    }
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private List<Consumer<Writer>> works() {
        List<Consumer<Writer>> works = new ArrayList<>();
        if (settings.rate() > 0) {
            Pace pace = new Pace(settings.rate());
            for (int i = 0; i < settings.writers(); i++) {
                works.add(writer -> writer.writeMany(pace));
            }
        }
        if (settings.huge() > 0) {
            works.add(Writer::writeHuge);
        }
        if (!settings.openFor().isZero()) {
            works.add(Writer::writeOpen);
        }
        return works;
    }

    /** A load that was killed may have left half a line, after which nothing may be appended. */
    private static Path unused(Path history) {
        Path file = history;
        for (int i = 2; Files.exists(file); i++) {
            String name = String.valueOf(history.getFileName());
            int end = name.lastIndexOf('.');
            file = history.resolveSibling(
                    end < 0 ? name + "-" + i : name.substring(0, end) + "-" + i + name.substring(end));
        }
        return file;
    }

    /** A load that is started again in the same run numbers its transactions differently. */
    private static long firstTransaction() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) * TRANSACTIONS_PER_MICROSECOND;
    }
}

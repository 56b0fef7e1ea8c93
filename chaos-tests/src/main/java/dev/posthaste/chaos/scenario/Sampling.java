package dev.posthaste.chaos.scenario;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import dev.posthaste.chaos.collect.Sampler;
import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.HistoryWriter;
import dev.posthaste.chaos.world.RelayNode;
import dev.posthaste.chaos.world.World;

/** Writes a sample every second. Its one thread belongs to it. */
final class Sampling implements AutoCloseable {

    private static final long END_SECONDS = 10;

    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "chaos-samples"));

    private final Sampler sampler;

    private Sampling(Sampler sampler) {
        this.sampler = sampler;
    }

    static Sampling start(World world, HistoryWriter history, Progress progress) {
        Sampling sampling = new Sampling(new Sampler(
                world.sources(),
                World.SLOT,
                world.relays().stream().map(RelayNode::url).toList(),
                world.provider()::answered));
        var unused =
                sampling.thread.scheduleWithFixedDelay(() -> sampling.take(history, progress), 0, 1, TimeUnit.SECONDS);
        return sampling;
    }

    private void take(HistoryWriter history, Progress progress) {
        Entry.Sample sample = sampler.sample();
        history.write(sample);
        progress.sample(sample);
    }

    /** Takes one more, and waits for it: the last says what is held back when all is done. */
    void last(HistoryWriter history, Progress progress) throws InterruptedException, ExecutionException {
        thread.submit(() -> take(history, progress)).get();
    }

    @Override
    public void close() throws InterruptedException {
        thread.shutdown();
        if (!thread.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
            thread.shutdownNow();
        }
        sampler.close();
    }
}

package dev.posthaste.chaos.scenario;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.collect.Collector;
import dev.posthaste.chaos.collect.Drain;
import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.HistoryWriter;
import dev.posthaste.chaos.load.ChaosCatalog;
import dev.posthaste.chaos.world.ProcessNode;
import dev.posthaste.chaos.world.RelayNode;
import dev.posthaste.chaos.world.World;

/**
 * Runs a scenario: everything starts, then load, the script, mending, the drain; what is left is collected. Its
 * judgement is the checker's. Used by one thread.
 */
public final class Supervisor {

    private static final Duration HALT_BOUND = Duration.ofSeconds(60);

    private final Scale scale;
    private final Progress progress;
    private final Clock clock;
    private final Map<String, String> versions;

    /**
     * Makes one.
     *
     * @param versions of everything that is run, by name
     */
    public Supervisor(Scale scale, Progress progress, Clock clock, Map<String, String> versions) {
        this.scale = scale;
        this.progress = progress;
        this.clock = clock;
        this.versions = versions;
    }

    /**
     * Runs one; its history and logs are in that directory.
     *
     * @return why it could not be gone through with, though what happened is in the history; null: it was
     */
    public @Nullable String run(Scenario scenario, long seed, List<Path> patches, Path directory) throws Exception {
        Files.createDirectories(directory);
        try (HistoryWriter history = HistoryWriter.open(directory.resolve("run.jsonl"))) {
            history.write(new Entry.Run(
                    scenario.name(),
                    seed,
                    clock.instant(),
                    versions,
                    ChaosCatalog.kinds(scenario.setup().handlers()),
                    scenario.expected(),
                    scenario.bounds()));
            progress.begins(scenario.name());
            try (World world =
                    World.prepare(directory, scenario.setup().withSeed(seed).withPatches(patches))) {
                return run(scenario, new Random(seed), world, history);
            }
        }
    }

    private @Nullable String run(Scenario scenario, Random random, World world, HistoryWriter history)
            throws Exception {
        Chaos chaos = new Chaos(world, history, random, scale, clock);
        String broken = null;
        try (Sampling sampling = Sampling.start(world, history, progress)) {
            try {
                phase(history, "steady");
                world.relays().forEach(ProcessNode::start);
                world.consumers().forEach(ProcessNode::start);
                world.load().start();
                chaos.leader();
                chaos.await("the first effects are there", () -> chaos.effects() > 0);
                chaos.pause(scale.steady());
                phase(history, "fault");
                scenario.script().run(chaos);
                phase(history, "heal");
                new Healing(world).run();
                if (scenario.expected().haltCause() == null) {
                    chaos.leader();
                }
                chaos.pause(scale.healed());
            } catch (InterruptedException e) {
                throw e;
            } catch (NotReachedException e) {
                broken = e.getMessage();
            } catch (Exception e) { // a fault of the script: what has happened so far is judged all the same
                broken = e.toString();
            }
            phase(history, "drain");
            Drained drained = drain(scenario, world, chaos);
            sampling.last(history, progress);
            phase(history, "done");
            history.write(new Entry.End(
                    clock.instant(), drained.wholly, drained.haltCause, world.confirmedLsn(), world.leaseFence()));
        }
        stop(world);
        collect(world);
        return broken;
    }

    private void phase(HistoryWriter history, String name) {
        history.write(new Entry.Phase(clock.instant(), name));
        progress.phase(name);
    }

    private record Drained(boolean wholly, @Nullable String haltCause) {}

    private Drained drain(Scenario scenario, World world, Chaos chaos) throws Exception {
        world.load().terminate();
        String cause = scenario.expected().haltCause();
        Drain drain = new Drain(world.sources(), () -> true);
        if (cause != null) {
            awaitHalt(cause, world, chaos);
            boolean wholly = drain.awaitHandlers(scale.drainBound()).isEmpty();
            return new Drained(wholly, awaitHalt(cause, world, chaos));
        }
        Optional<String> left = drain.await(scale.drainBound());
        left.ifPresent(progress::note);
        return new Drained(left.isEmpty(), haltCause(world));
    }

    /** A halted relay looks again every few seconds, and is not halted while it does. */
    private @Nullable String awaitHalt(String cause, World world, Chaos chaos) throws InterruptedException {
        try {
            chaos.await("a relay halts", HALT_BOUND, () -> cause.equals(haltCause(world)));
            return cause;
        } catch (NotReachedException e) {
            progress.note(String.valueOf(e.getMessage()));
            return haltCause(world);
        }
    }

    private static @Nullable String haltCause(World world) {
        return world.relays().stream()
                .filter(ProcessNode::isAlive)
                .map(RelayNode::haltCause)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static void stop(World world) throws InterruptedException {
        List<ProcessNode> nodes = new ArrayList<>(world.consumers());
        nodes.addAll(world.relays());
        for (ProcessNode node : nodes) {
            node.terminate();
        }
    }

    private static void collect(World world) throws SQLException {
        try (HistoryWriter observed = HistoryWriter.open(world.directory().resolve("observed.jsonl"))) {
            new Collector(world.sources()).collect(observed);
        }
    }
}

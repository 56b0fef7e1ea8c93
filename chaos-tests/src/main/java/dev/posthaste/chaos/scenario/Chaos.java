package dev.posthaste.chaos.scenario;

import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.HistoryWriter;
import dev.posthaste.chaos.world.ProcessNode;
import dev.posthaste.chaos.world.RelayNode;
import dev.posthaste.chaos.world.World;
import dev.posthaste.testkit.faults.StoreLink;

/**
 * What a script breaks things with. What it does is written to the history with the evidence that it took effect: a
 * fault that never fired proves nothing. Used by one thread.
 */
public final class Chaos {

    private static final Duration USUAL_BOUND = Duration.ofSeconds(60);
    private static final long LOOK_MILLIS = 20;

    private final World world;
    private final HistoryWriter history;
    private final Random random;
    private final Scale scale;
    private final Clock clock;

    Chaos(World world, HistoryWriter history, Random random, Scale scale, Clock clock) {
        this.world = world;
        this.history = history;
        this.random = random;
        this.scale = scale;
        this.clock = clock;
    }

    /** Something that is waited for. */
    @FunctionalInterface
    public interface Condition {
        /** Whether it is so; an exception counts as no, until the time is up. */
        boolean holds() throws Exception;
    }

    /** What there is to break. */
    public World world() {
        return world;
    }

    /** Everything random comes from here, and so from the seed. */
    public Random random() {
        return random;
    }

    /** How long things last in this run. */
    public Scale scale() {
        return scale;
    }

    /** Writes that something was broken and seen to be. */
    public void fired(String fault, String evidence) {
        history.write(new Entry.Fault(clock.instant(), fault, true, evidence));
    }

    /** Writes that something was broken, and whether it was seen to be. */
    public void fault(String fault, boolean fired, String evidence) {
        history.write(new Entry.Fault(clock.instant(), fault, fired, evidence));
    }

    /** Lets things go on for a while. */
    public void pause(Duration time) throws InterruptedException {
        var unused = new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** From that time to twice that time, at random. */
    public void pauseAbout(Duration time) throws InterruptedException {
        pause(time.plusMillis(random.nextLong(time.toMillis() + 1)));
    }

    /** Waits for something, for a minute at most. */
    public void await(String what, Condition condition) throws InterruptedException {
        await(what, USUAL_BOUND, condition);
    }

    /**
     * Waits for something.
     *
     * @throws NotReachedException when it is not so within the bound
     */
    public void await(String what, Duration bound, Condition condition) throws InterruptedException {
        Instant deadline = clock.instant().plus(bound);
        String last = "it is not so";
        while (clock.instant().isBefore(deadline)) {
            try {
                if (condition.holds()) {
                    return;
                }
                last = "it is not so";
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                last = e.toString();
            }
            pause(Duration.ofMillis(LOOK_MILLIS));
        }
        throw new NotReachedException(what + ": not within " + bound + ", " + last);
    }

    /** Waits until some relay leads and streams. */
    public RelayNode leader() throws InterruptedException {
        await("a relay leads", () -> world.leader() != null);
        RelayNode leader = world.leader();
        return leader != null ? leader : leader();
    }

    /** Waits until so many more batches are proved. */
    public void awaitBatches(int more) throws InterruptedException, SQLException {
        long before = batches();
        await(more + " more batches are proved", () -> batches() >= before + more);
    }

    /** Waits until a message is proved that is staged from now on: until all that waits by now is published, too. */
    public void awaitWhatIsStagedNext() throws InterruptedException, SQLException {
        long staged = world.outboxNumber("SELECT count(*) FROM outbox.message");
        await(
                "a message that is staged from now on is proved",
                () -> world.outboxNumber("SELECT coalesce(sum(cardinality(message_ids)), 0) FROM outbox.dispatch_batch")
                        > staged);
    }

    private long batches() throws SQLException {
        return world.outboxNumber("SELECT coalesce(max(batch), 0) FROM outbox.dispatch_batch");
    }

    /** Waits until so many more effects are there. */
    public void awaitEffects(int more) throws InterruptedException, SQLException {
        long before = effects();
        await(more + " more effects are there", () -> effects() >= before + more);
    }

    long effects() throws SQLException {
        return world.inboxNumber("SELECT coalesce(max(place), 0) FROM chaos.effect");
    }

    /** Messages that are committed, and on no topic as far as the outbox knows. */
    public long pending() throws SQLException {
        return world.outboxNumber("SELECT messages FROM outbox.pending_summary()");
    }

    /** SIGKILL to a relay while messages wait, and another start of it. */
    public void killAndRestart(RelayNode relay) throws InterruptedException, SQLException {
        await("messages wait", () -> pending() > 0);
        relay.kill();
        fired("SIGKILL to " + relay.name(), pending() + " messages were pending when it was gone");
        relay.start();
    }

    /** SIGKILL to a process, which stays dead. */
    public void kill(ProcessNode node) {
        long pid = node.pid();
        node.kill();
        fault("SIGKILL to " + node.name(), !node.isAlive(), "process " + pid + " is gone");
    }

    /** SIGSTOP to a process for a while. */
    public void freeze(ProcessNode node, Duration time) throws InterruptedException {
        node.freeze();
        pause(time);
        boolean frozen = node.isFrozen();
        node.thaw();
        fault("SIGSTOP to " + node.name() + " for " + time, frozen, "it was stopped until the end of that time");
    }

    /** Refuses and ends every connection on a link for a while. */
    public void refuse(String name, StoreLink link, Duration time) throws InterruptedException {
        int ended = link.refuse();
        fault(name + " is refused for " + time, ended > 0, ended + " connections were ended");
        pause(time);
        link.heal();
    }

    /** Nothing is heard on a link for a while, and nobody is told. */
    public void stall(String name, StoreLink link, Duration time) throws InterruptedException {
        int before = link.heldBack();
        link.stall();
        pause(time);
        int held = link.heldBack() - before;
        link.heal();
        fault(name + " is half open for " + time, held > 0, held + " pieces were held back");
    }
}

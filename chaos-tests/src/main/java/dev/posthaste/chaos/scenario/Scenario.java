package dev.posthaste.chaos.scenario;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import dev.posthaste.chaos.history.Entry.Bounds;
import dev.posthaste.chaos.history.Entry.Expected;
import dev.posthaste.chaos.world.Setup;

/**
 * A way in which things go wrong, under load, and how it must end. Immutable.
 *
 * @param name in kebab case; of two that are run one after the other, with a plus between them
 * @param promise what is shown, in a sentence
 * @param tier when it is run
 * @param setup what it begins with
 * @param expected how it ends
 * @param bounds what may not be exceeded
 * @param obstacle why it cannot be run on this machine; empty: it can
 * @param script what goes wrong
 */
public record Scenario(
        String name,
        String promise,
        Tier tier,
        Setup setup,
        Expected expected,
        Bounds bounds,
        Supplier<Optional<String>> obstacle,
        Script script) {

    private static final String WORDS = "[a-z0-9]+(-[a-z0-9]+)*";

    /** A name is part of commands, of directories and of Markdown, and must mean itself in each. */
    private static final Pattern NAMES = Pattern.compile(WORDS + "(\\+" + WORDS + ")?");

    private static final Bounds USUAL = new Bounds(30_000, 128L << 20, 256L << 20);

    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException when it is not in kebab case
     */
    public Scenario {
        if (!NAMES.matcher(name).matches()) {
            throw new IllegalArgumentException("a scenario's name is '" + name
                    + "', but must be in kebab case: lower-case letters and digits, with single hyphens between words;"
                    + " name it like relay-killed-twice");
        }
    }

    /** When a scenario is run. */
    public enum Tier {
        /** With every change, and with all others. */
        SHORT,
        /** Every night. */
        FULL
    }

    /** What goes wrong; returns once it has, and may mend it. Whatever is broken then is mended by the supervisor. */
    @FunctionalInterface
    public interface Script {
        /** Runs while there is load. What does not take effect is an error. */
        void run(Chaos chaos) throws Exception;
    }

    /** One of the full tier with the usual setup, after which everything is drained. */
    public static Scenario of(String name, String promise, Script script) {
        return new Scenario(
                name, promise, Tier.FULL, Setup.usual(), new Expected(null, false), USUAL, Optional::empty, script);
    }

    /** The same in the short tier. */
    public Scenario shortTier() {
        return new Scenario(name, promise, Tier.SHORT, setup, expected, bounds, obstacle, script);
    }

    /** The same with another setup. */
    public Scenario with(UnaryOperator<Setup> change) {
        return new Scenario(name, promise, tier, change.apply(setup), expected, bounds, obstacle, script);
    }

    /** The same, but the relay halts with that cause, and that is right. */
    public Scenario halting(String cause) {
        Expected halted = new Expected(cause, expected.databaseMayLose());
        return new Scenario(name, promise, tier, setup, halted, bounds, obstacle, script);
    }

    /** The same, where the database that is left may lack commits. */
    public Scenario wherePostgresMayLose() {
        Expected losing = new Expected(expected.haltCause(), true);
        return new Scenario(name, promise, tier, setup, losing, bounds, obstacle, script);
    }

    /** The same with another bound of recovery. */
    public Scenario recoveringWithin(Duration bound) {
        Bounds other = new Bounds(bound.toMillis(), bounds.relayHeapBytes(), bounds.walBytes());
        return new Scenario(name, promise, tier, setup, expected, other, obstacle, script);
    }

    /** The same with other bounds. */
    public Scenario within(Bounds other) {
        return new Scenario(name, promise, tier, setup, expected, other, obstacle, script);
    }

    /** The same, only where nothing stands against it. */
    public Scenario unless(Supplier<Optional<String>> other) {
        return new Scenario(name, promise, tier, setup, expected, bounds, other, script);
    }
}

package dev.posthaste.chaos.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.scenario.Scale;
import dev.posthaste.relay.cli.UsageException;

/**
 * What a run is asked for; what contradicts itself is refused. Immutable.
 *
 * @param names of scenarios
 * @param all whether all are run
 * @param shortTier whether those of the short tier are
 * @param soak whether random pairs are
 * @param full whether long waits have their full length, as they always have with all
 * @param seed of everything random
 * @param minutes how long what is random goes on, or the whole soak; null: as long as usual
 */
record RunOptions(
        List<String> names,
        boolean all,
        boolean shortTier,
        boolean soak,
        boolean full,
        long seed,
        @Nullable Integer minutes) {

    /** A day: a report that holds the runs of more is of no use to anybody. */
    static final int MINUTES_MAX = 24 * 60;

    static final int SOAK_MINUTES = 60;

    /**
     * Checks them.
     *
     * @throws UsageException when a name is none, or when not exactly one thing says what is run
     */
    RunOptions {
        names = List.copyOf(names);
        names.forEach(Catalogue::named);
        List<String> saying = new ArrayList<>();
        if (!names.isEmpty()) {
            saying.add(names.get(0));
        }
        if (all) {
            saying.add("--all");
        }
        if (shortTier) {
            saying.add("--short");
        }
        if (soak) {
            saying.add("--soak");
        }
        if (saying.isEmpty()) {
            throw new UsageException(
                    "name scenarios, or give --short, --all or --soak; posthaste chaos list shows the scenarios");
        }
        if (saying.size() > 1) {
            throw new UsageException(saying.get(0) + " and " + saying.get(1)
                    + " are given, but only one of scenarios' names, --all, --short and --soak can say what is run;"
                    + " leave out all but one");
        }
    }

    /** How long things last. A soak's minutes are those of the whole. */
    Scale scale() {
        Scale scale = all || full ? Scale.nightly() : Scale.quick();
        return minutes == null || soak ? scale : scale.withRandom(Duration.ofMinutes(minutes));
    }

    /** How long a soak goes on. */
    Duration soakTime() {
        return Duration.ofMinutes(minutes == null ? SOAK_MINUTES : minutes);
    }

    /** What the command that repeats one of the runs is given besides name and seed, with a space before each. */
    String ofRepeat() {
        return (all || full ? " --full" : "") + (minutes == null || soak ? "" : " --minutes " + minutes);
    }

    /** The command that was given. */
    String command() {
        return "./posthaste chaos run"
                + (names.isEmpty() ? "" : " " + String.join(" ", names))
                + (all ? " --all" : "")
                + (shortTier ? " --short" : "")
                + (soak ? " --soak" : "")
                + (full ? " --full" : "")
                + (minutes == null ? "" : " --minutes " + minutes)
                + " --seed " + seed;
    }
}

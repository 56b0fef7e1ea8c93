package dev.posthaste.chaos.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

import dev.posthaste.chaos.scenario.Scenario;
import dev.posthaste.chaos.scenario.ScenarioProvider;
import dev.posthaste.relay.cli.UsageException;

/** The scenarios there are: those that come with Posthaste, and those of others on the class path. */
public final class Catalogue {

    private static final char PAIR = '+';

    private Catalogue() {}

    /**
     * All of them.
     *
     * @throws IllegalStateException when two have one name
     */
    public static List<Scenario> all() {
        Map<String, Scenario> byName = new LinkedHashMap<>();
        for (ScenarioProvider provider : ServiceLoader.load(ScenarioProvider.class)) {
            for (Scenario scenario : provider.scenarios()) {
                if (byName.put(scenario.name(), scenario) != null) {
                    throw new IllegalStateException("there are two scenarios of the name " + scenario.name());
                }
            }
        }
        return List.copyOf(byName.values());
    }

    /**
     * One of them, or a pair of them: {@code one+other}.
     *
     * @throws UsageException when there is none of that name
     */
    public static Scenario named(String name) {
        int plus = name.indexOf(PAIR);
        if (plus >= 0) {
            return pair(named(name.substring(0, plus)), named(name.substring(plus + 1)));
        }
        List<Scenario> all = all();
        return all.stream()
                .filter(scenario -> scenario.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new UsageException("there is no scenario " + name
                        + Nearest.to(name, all.stream().map(Scenario::name).toList())
                                .map(near -> "; did you mean " + near + "?")
                                .orElse("; posthaste chaos list shows those there are")));
    }

    /** Those that are asked for, but for the pairs of a soak. */
    static List<Scenario> chosen(RunOptions options) {
        if (options.all()) {
            return all();
        }
        return options.shortTier()
                ? all().stream()
                        .filter(scenario -> scenario.tier() == Scenario.Tier.SHORT)
                        .toList()
                : options.names().stream().map(Catalogue::named).toList();
    }

    /**
     * One after the other in one run, with what both want and the wider of their bounds.
     *
     * @throws UsageException if one of them ends with a halt, after which nothing can follow
     */
    static Scenario pair(Scenario first, Scenario second) {
        for (Scenario one : List.of(first, second)) {
            if (one.expected().haltCause() != null) {
                throw new UsageException(one.name() + " ends with a halt of the relay, so it cannot be one of a pair");
            }
        }
        return Scenario.of(first.name() + PAIR + second.name(), first.promise() + "; " + second.promise(), chaos -> {
                    first.script().run(chaos);
                    chaos.leader();
                    second.script().run(chaos);
                })
                .with(usual -> first.setup().and(second.setup()))
                .within(first.bounds().and(second.bounds()))
                .unless(() -> first.obstacle().get().or(second.obstacle()));
    }
}

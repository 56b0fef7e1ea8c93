package dev.posthaste.chaos.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

import dev.posthaste.chaos.scenario.Scenario;
import dev.posthaste.chaos.scenario.ScenarioProvider;
import dev.posthaste.chaos.world.Setup;
import dev.posthaste.relay.cli.UsageException;

/** The scenarios there are: those that come with Posthaste, and those of others on the class path. */
public final class Catalogue {

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
     * One of them.
     *
     * @throws UsageException when there is none of that name
     */
    public static Scenario named(String name) {
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

    /** One after the other in one run. */
    static Scenario pair(Scenario first, Scenario second) {
        Setup setup = first.setup()
                .withRelays(Math.max(first.setup().relays(), second.setup().relays()))
                .withConsumers(
                        Math.max(first.setup().consumers(), second.setup().consumers()))
                .withFailShare(
                        Math.max(first.setup().failShare(), second.setup().failShare()))
                .withSmallDisks(first.setup().smallDisks() || second.setup().smallDisks());
        return Scenario.of(first.name() + "+" + second.name(), first.promise() + "; " + second.promise(), chaos -> {
                    first.script().run(chaos);
                    chaos.leader();
                    second.script().run(chaos);
                })
                .with(usual -> setup)
                .unless(() -> first.obstacle().get().or(second.obstacle()));
    }
}

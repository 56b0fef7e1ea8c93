package dev.posthaste.chaos.scenario;

import java.util.List;
import java.util.stream.Stream;

/** Those that come with Posthaste. */
public final class BuiltInScenarios implements ScenarioProvider {

    @Override
    public List<Scenario> scenarios() {
        return Stream.of(RelayScenarios.all(), StoreScenarios.all(), ConsumerScenarios.all())
                .flatMap(List::stream)
                .toList();
    }
}

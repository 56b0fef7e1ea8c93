package dev.posthaste.chaos.scenario;

import java.util.List;

/** Adds scenarios; found by {@link java.util.ServiceLoader}. */
public interface ScenarioProvider {

    /** The scenarios, under names that nobody else uses. */
    List<Scenario> scenarios();
}

package dev.posthaste.chaos.example;

import java.time.Duration;
import java.util.List;

import dev.posthaste.chaos.scenario.Scenario;
import dev.posthaste.chaos.scenario.ScenarioProvider;
import dev.posthaste.chaos.world.ProcessNode;
import dev.posthaste.chaos.world.RelayNode;

/** A machine with a relay and a consumer on it goes down while handlers fail often. */
public final class RestartedTogether implements ScenarioProvider {

    @Override
    public List<Scenario> scenarios() {
        return List.of(Scenario.of("machine-lost", "a relay and a consumer die at the same moment", chaos -> {
                    RelayNode relay = chaos.leader();
                    ProcessNode consumer = chaos.world().consumers().get(0);
                    chaos.await("messages wait", () -> chaos.pending() > 0);
                    relay.kill();
                    consumer.kill();
                    chaos.fault("SIGKILL to both", !relay.isAlive() && !consumer.isAlive(), "neither runs any more");
                    chaos.pause(Duration.ofSeconds(2)); // what is still broken then is mended by the supervisor
                })
                .with(setup -> setup.withFailShare(0.1))
                .recoveringWithin(Duration.ofSeconds(30)));
    }
}

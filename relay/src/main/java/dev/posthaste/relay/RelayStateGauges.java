package dev.posthaste.relay;

import java.util.List;
import java.util.function.Supplier;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** Where the relay stands, as gauges: one for each state, and the fence under which it leads. */
public final class RelayStateGauges {

    private static final List<String> STATES = List.of("standby", "acquiring", "streaming", "draining", "halted");

    private RelayStateGauges() {}

    /** Registers them; they ask the relay at each scrape, which is a reading of one field. */
    public static void register(MeterRegistry registry, Supplier<RelayState> state) {
        for (String name : STATES) {
            Gauge.builder(
                            "posthaste.relay.state",
                            state,
                            relay -> relay.get().wireName().equals(name) ? 1 : 0)
                    .description("1 for the state the relay is in")
                    .tag("state", name)
                    .strongReference(true) // nobody else holds the supplier
                    .register(registry);
        }
        Gauge.builder("posthaste.relay.fence", state, relay -> fence(relay.get()))
                .description("the fence of the lease it holds")
                .strongReference(true)
                .register(registry);
    }

    private static double fence(RelayState state) {
        if (state instanceof RelayState.Acquiring acquiring) {
            return acquiring.fence();
        }
        return state instanceof RelayState.Streaming streaming ? streaming.fence() : Double.NaN;
    }
}

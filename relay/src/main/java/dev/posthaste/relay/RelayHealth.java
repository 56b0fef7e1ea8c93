package dev.posthaste.relay;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.posthaste.relay.health.HealthServer;

/** Says whether the relay is alive and whether it does its work, and why not. Thread-safe. */
public final class RelayHealth {

    private final Relay relay;
    private final ObjectMapper json = new ObjectMapper();

    /** Looks at that relay. */
    public RelayHealth(Relay relay) {
        this.relay = relay;
    }

    /** Alive: its thread lives. A relay that waits for a store or for a person is alive. */
    public HealthServer.Answer live() {
        return answer(relay.isAlive());
    }

    /** Ready: it leads, or stands by and could take over. Not while a store is away, during the start, or halted. */
    public HealthServer.Answer ready() {
        RelayState state = relay.state();
        boolean couldLead = state instanceof RelayState.Standby standby && standby.able() && relay.isAlive();
        return answer(state instanceof RelayState.Streaming || couldLead);
    }

    private HealthServer.Answer answer(boolean ok) {
        RelayState state = relay.state();
        ObjectNode body = json.createObjectNode();
        body.put("status", ok ? "up" : "down");
        body.put("state", state.wireName());
        body.put("since", state.since().toString());
        if (state instanceof RelayState.Standby standby) {
            body.put("note", standby.note());
        } else if (state instanceof RelayState.Streaming streaming) {
            body.put("fence", streaming.fence());
        } else if (state instanceof RelayState.Halted halted) {
            body.put("cause", halted.reason().cause().name());
            body.put("detail", halted.reason().detail());
            body.put("remedy", halted.reason().remedy());
        }
        try {
            return new HealthServer.Answer(ok, json.writeValueAsString(body));
        } catch (JacksonException e) { // a tree of our own making
            throw new IllegalStateException(e);
        }
    }
}

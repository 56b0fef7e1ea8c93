package dev.posthaste.chaos.world;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.jspecify.annotations.Nullable;

/** A relay process and what it says of itself. Used by one thread. */
public final class RelayNode extends ProcessNode {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();
    private static final ObjectMapper JSON = new ObjectMapper();

    private final int port;
    private final @Nullable OwnNetwork network;

    RelayNode(String name, Path directory, Launch launch, int port) {
        super(name, directory, launch);
        this.port = port;
        this.network = launch.network();
    }

    /** Its own network; null: it is in this machine's. */
    public @Nullable OwnNetwork network() {
        return network;
    }

    /** Where it answers. */
    public URI url() {
        return URI.create("http://" + (network == null ? "127.0.0.1" : network.address()) + ":" + port);
    }

    /** What it says of its state; {@code away} if it does not answer. */
    public String state() {
        JsonNode ready = ready();
        return ready == null ? "away" : ready.path("state").asText("unknown");
    }

    /** The cause with which it has halted; null for none. */
    public @Nullable String haltCause() {
        JsonNode ready = ready();
        return ready != null && ready.hasNonNull("cause") ? ready.get("cause").asText() : null;
    }

    /** Whether it leads and streams. */
    public boolean isStreaming() {
        return state().equals("streaming");
    }

    private @Nullable JsonNode ready() {
        HttpRequest request = HttpRequest.newBuilder(url().resolve("/health/ready"))
                .timeout(Duration.ofSeconds(2))
                .build();
        try {
            return JSON.readTree(
                    HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body());
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}

package dev.posthaste.chaos.collect;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Asks a relay over HTTP how it is. Thread-safe. */
final class RelayProbe {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String HEAP_AFTER_COLLECTION = "jvm_gc_live_data_size_bytes";
    private static final String HEAP_USED = "jvm_memory_used_bytes{area=\"heap\"";

    private final HttpClient http;
    private final URI relay;

    RelayProbe(HttpClient http, URI relay) {
        this.http = http;
        this.relay = relay;
    }

    /** As {@code streaming}; of one that has halted {@code halted (CAUSE)}. */
    String state() throws IOException, InterruptedException {
        JsonNode health = JSON.readTree(get("/health/ready"));
        String state = health.path("state").asText();
        String cause = health.path("cause").asText();
        return cause.isEmpty() ? state : state + " (" + cause + ")";
    }

    /** Bytes of heap in use: after the last collection of the old generation, or now where there has been none. */
    long heap() throws IOException, InterruptedException {
        String metrics = get("/metrics");
        long live = sum(metrics, HEAP_AFTER_COLLECTION);
        return live > 0 ? live : sum(metrics, HEAP_USED);
    }

    private static long sum(String metrics, String series) {
        return (long) metrics.lines()
                .filter(line -> line.startsWith(series))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private String get(String path) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(relay.resolve(path)).timeout(TIMEOUT).build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
}

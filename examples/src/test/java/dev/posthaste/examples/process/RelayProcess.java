package dev.posthaste.examples.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A relay process and what it says of itself. Used by one thread. */
final class RelayProcess implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final PosthasteProcess process;
    private final int port;

    private RelayProcess(PosthasteProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    /** An answer of its HTTP server; status 0: it does not listen. */
    record Answer(int status, String body) {}

    /** Starts a relay and does not wait. */
    static RelayProcess start(Path directory, Map<String, String> settings) {
        return start(directory, settings, List.of());
    }

    /** The same with options for the JVM. */
    static RelayProcess start(Path directory, Map<String, String> settings, List<String> jvm) {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = socket.getLocalPort();
            socket.close();
            Map<String, String> environment = new HashMap<>(settings);
            environment.put("POSTHASTE_HTTP_PORT", Integer.toString(port));
            Path own = Files.createTempDirectory(directory, "relay");
            return new RelayProcess(PosthasteProcess.start(own, environment, jvm, List.of("relay")), port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    PosthasteProcess process() {
        return process;
    }

    Answer get(String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(5))
                .build();
        try {
            HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body());
        } catch (IOException e) {
            return new Answer(0, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    Answer live() {
        return get("/health/live");
    }

    Answer ready() {
        return get("/health/ready");
    }

    /** The sum of a meter's series of that name and labels, as {@code /metrics} shows them; 0 if there is none. */
    double meter(String nameAndLabels) {
        return get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(nameAndLabels))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** Bytes of heap that are in use, garbage apart. */
    long heap() {
        process.collectGarbage();
        return (long) meter("jvm_memory_used_bytes{area=\"heap\"");
    }

    boolean isStreaming() {
        Answer answer = ready();
        return answer.status() == 200 && answer.body().contains("\"state\":\"streaming\"");
    }

    /** Waits until its health says so. */
    RelayProcess awaitHealth(int status, String part) {
        await().atMost(START_TIMEOUT).pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
            assertThat(process.isAlive())
                    .as("alive; it said: %s", process.err())
                    .isTrue();
            Answer answer = ready();
            assertThat(answer.status()).as(answer.body()).isEqualTo(status);
            assertThat(answer.body()).contains(part);
        });
        return this;
    }

    RelayProcess awaitStreaming() {
        return awaitHealth(200, "\"state\":\"streaming\"");
    }

    RelayProcess awaitStandby() {
        return awaitHealth(200, "\"state\":\"standby\"");
    }

    @Override
    public void close() {
        process.close();
    }
}

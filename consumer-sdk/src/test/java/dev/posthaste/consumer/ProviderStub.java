package dev.posthaste.consumer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpServer;

/**
 * A provider that is called with an idempotency key, and refuses now and then: the first call under every fifth key. It
 * remembers how often it was called under each key.
 */
final class ProviderStub implements AutoCloseable {

    static final String KEY = "Idempotency-Key";
    private static final int REFUSES_EVERY = 5;
    private static final int OK = 200;
    private static final int UNAVAILABLE = 503;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
    private final AtomicInteger refused = new AtomicInteger();

    ProviderStub() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            String key = exchange.getRequestHeaders().getFirst(KEY);
            int call = calls.computeIfAbsent(key, unused -> new AtomicInteger()).incrementAndGet();
            boolean refuses = call == 1 && Math.floorMod(key.hashCode(), REFUSES_EVERY) == 0;
            if (refuses) {
                refused.incrementAndGet();
            }
            exchange.sendResponseHeaders(refuses ? UNAVAILABLE : OK, -1);
            exchange.close();
        });
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    Set<String> keys() {
        return calls.keySet();
    }

    int refused() {
        return refused.get();
    }

    /** Calls one; fails where it refuses. */
    static void call(HttpClient client, String url, String key) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofSeconds(5))
                .header(KEY, key)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        int status =
                client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        if (status != OK) {
            throw new IOException("the provider answered " + status);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}

package dev.posthaste.relay.health;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;

/**
 * Serves {@code /health/live}, {@code /health/ready} and {@code /metrics}. The thread {@code posthaste-http} belongs to
 * this object and ends with it; what is asked while it answers waits in the socket's bounded backlog.
 */
public final class HealthServer implements AutoCloseable {

    private static final int BACKLOG = 16;
    private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final HttpServer server;
    private final ExecutorService executor;

    /**
     * What a health endpoint answers.
     *
     * @param ok whether the status is 200; else 503
     * @param json the body
     */
    public record Answer(boolean ok, String json) {}

    /**
     * Starts serving.
     *
     * @param port 0: any free one
     * @throws IOException if it cannot listen there
     */
    public HealthServer(String host, int port, Supplier<Answer> live, Supplier<Answer> ready, Supplier<String> metrics)
            throws IOException {
        this.server = HttpServer.create(new InetSocketAddress(host, port), BACKLOG);
        this.executor = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "posthaste-http");
            thread.setDaemon(true);
            return thread;
        });
        server.setExecutor(executor);
        serve("/health/live", exchange -> answer(exchange, live.get()));
        serve("/health/ready", exchange -> answer(exchange, ready.get()));
        serve("/metrics", exchange -> send(exchange, 200, METRICS_TYPE, metrics.get()));
        server.start();
    }

    /** A context of the server answers for everything that begins with its path; this one for the path alone. */
    private void serve(String path, HttpHandler handler) {
        server.createContext(path, exchange -> {
            if (!exchange.getRequestURI().getPath().equals(path)) {
                send(exchange, 404, "text/plain", "not found\n");
            } else if (!exchange.getRequestMethod().equals("GET")) {
                send(exchange, 405, "text/plain", "GET only\n");
            } else {
                handler.handle(exchange);
            }
        });
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    private static void answer(HttpExchange exchange, Answer answer) throws IOException {
        send(exchange, answer.ok() ? 200 : 503, "application/json", answer.json());
    }

    private static void send(HttpExchange exchange, int status, String contentType, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", contentType);
        exchange.sendResponseHeaders(status, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}

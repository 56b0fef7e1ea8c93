package dev.posthaste.chaos.consumer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.HistoryWriter;

/**
 * A provider of the kind that leased handlers call, over HTTP: {@code POST /<handler>} with an idempotency key. It
 * charges once per key and answers later calls with that key alike. Each call it sees is in the history before it is
 * answered. It can be told to fail, to be slow, and to be down. Thread-safe.
 */
public final class Provider implements AutoCloseable {

    /** The header with the idempotency key. */
    public static final String KEY = "Idempotency-Key";

    static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int UNAVAILABLE = 503;
    private static final int THREADS = 32;
    private static final int HASHES = 10_000;

    private final HistoryWriter history;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final Set<String> charged = ConcurrentHashMap.newKeySet();
    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final int port;
    private volatile boolean failsAll;
    private volatile double failingShare;
    private volatile Duration slowness = Duration.ZERO;
    private @Nullable HttpServer server;

    private Provider(HistoryWriter history) {
        this.history = history;
        this.port = listen(0);
    }

    /**
     * Starts one on a free port of 127.0.0.1.
     *
     * @throws UncheckedIOException when it cannot listen
     */
    public static Provider start(HistoryWriter history) {
        return new Provider(history);
    }

    /** Where it is; the same after {@link #goDown} and {@link #comeUp}. */
    public URI url() {
        return URI.create("http://127.0.0.1:" + port + "/");
    }

    /** From now on every call fails, or not any more. */
    public void failForAll(boolean fails) {
        failsAll = fails;
    }

    /** From now on every call with that idempotency key fails, or not any more. */
    public void failFor(String idempotencyKey, boolean fails) {
        if (fails) {
            failing.add(idempotencyKey);
        } else {
            failing.remove(idempotencyKey);
        }
    }

    /** From now on every call fails with that share of the idempotency keys, always the same ones; 0: none. */
    public void failForShare(double share) {
        failingShare = share;
    }

    /** From now on every answer takes so long. */
    public void slowDown(Duration time) {
        slowness = time;
    }

    /** From now on nobody listens: calls are refused, those in hand are cut off. */
    public synchronized void goDown() {
        if (server != null) {
            server.stop(0);
            server = null;
        }
    }

    /**
     * Listens again where it did.
     *
     * @throws UncheckedIOException when it cannot
     */
    public synchronized void comeUp() {
        if (server == null) {
            listen(port);
        }
    }

    /** Everything is well again. */
    public void heal() {
        failForAll(false);
        failing.clear();
        failForShare(0);
        slowDown(Duration.ZERO);
        comeUp();
    }

    /** How many calls were answered with success, also of the same key. */
    public int answered() {
        return answered.get();
    }

    /** How many calls were answered with a failure. */
    public int refused() {
        return refused.get();
    }

    /** How many different idempotency keys were charged. */
    public int charges() {
        return charged.size();
    }

    private synchronized int listen(int atPort) {
        try {
            HttpServer starting = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), atPort), 0);
            starting.setExecutor(threads);
            starting.createContext("/", this::answer);
            starting.start();
            server = starting;
            return starting.getAddress().getPort();
        } catch (IOException e) {
            throw new UncheckedIOException("the provider cannot listen on port " + atPort, e);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String key = exchange.getRequestHeaders().getFirst(KEY);
            if (key == null) {
                exchange.sendResponseHeaders(BAD_REQUEST, -1);
                return;
            }
            wait(slowness);
            boolean answers = !failsAll && !failing.contains(key) && !isInShare(key);
            if (answers) {
                charged.add(key);
                answered.incrementAndGet();
            } else {
                refused.incrementAndGet();
            }
            String handler = exchange.getRequestURI().getPath().substring(1);
            history.write(new Entry.Call(handler, key, answers, Instant.now()));
            exchange.sendResponseHeaders(answers ? OK : UNAVAILABLE, -1);
        }
    }

    private boolean isInShare(String key) {
        return Math.floorMod(key.hashCode(), HASHES) < failingShare * HASHES;
    }

    private static void wait(Duration time) throws IOException {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the provider is closed", e);
        }
    }

    @Override
    public void close() {
        goDown();
        threads.shutdownNow();
    }
}

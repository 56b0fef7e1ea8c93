package dev.posthaste.testkit.faults;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The way to a store, on which everything can go wrong that goes wrong with networks: refused, cut, half open, slow.
 * What it holds back while it is half open it delivers afterwards, late, as a network does. Its threads are its own and
 * end with it. Thread-safe.
 */
public final class StoreLink implements AutoCloseable {

    /** Below the range of outgoing connections, so that a port that refuses stays free for us. */
    private static final int FIRST_PORT = 20_000;

    private static final int AFTER_LAST_PORT = 32_000;
    private static final int TRIES_MAX = 200;
    private static final int BACKLOG = 50;
    private static final int CHUNK = 4096;

    /** How fast it is. */
    private record Pace(Duration latency, int bytesPerSecond) {
        static final Pace UNHINDERED = new Pace(Duration.ZERO, Integer.MAX_VALUE);

        long millisFor(int bytes) {
            return latency.toMillis() + bytes * 1000L / bytesPerSecond;
        }
    }

    /** Reads what is to be passed on at once; null: the end. */
    private interface Reading {
        byte @Nullable [] next(DataInputStream in) throws IOException;
    }

    private final String host;
    private final int port;
    private volatile int storePort;
    private final Reading answers;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Object gate = new Object();
    private boolean stalled; // guarded by gate
    private int heldBack; // guarded by gate
    private volatile Pace pace = Pace.UNHINDERED;
    private volatile @Nullable ServerSocket server;

    private StoreLink(String host, int storePort, ServerSocket server, Reading answers) {
        this.host = host;
        this.port = server.getLocalPort();
        this.storePort = storePort;
        this.answers = answers;
        open(server);
    }

    /** Before a server. */
    public static StoreLink toPostgres(String host, int port) {
        return new StoreLink(host, port, listenAnywhere(), StoreLink::chunk);
    }

    /** Before a broker of a single address. */
    public static StoreLink toKafka(String bootstrapServers) {
        int colon = bootstrapServers.lastIndexOf(':');
        String host = bootstrapServers.substring(0, colon);
        int port = Integer.parseInt(bootstrapServers.substring(colon + 1));
        ServerSocket server = listenAnywhere();
        ToldAddress told = new ToldAddress(host, port, server.getLocalPort());
        return new StoreLink(host, port, server, in -> frame(in, told::rewrite));
    }

    /** The port on 127.0.0.1 that clients connect to. */
    public int port() {
        return port;
    }

    /** As {@code host:port}. */
    public String address() {
        return host + ":" + port;
    }

    /** All is well again; what was held back is delivered. */
    public void heal() {
        pace = Pace.UNHINDERED;
        synchronized (gate) {
            stalled = false;
            gate.notifyAll();
        }
        if (server == null) {
            open(listen(port));
        }
    }

    /** New connections go to another port of that host from now on, as behind a moving address; old ones are ended. */
    public void redirect(int newPort) {
        storePort = newPort;
        cut();
    }

    /** Ends every connection and refuses new ones; returns how many were ended. */
    public int refuse() {
        closeServer();
        return cut();
    }

    /** Ends every connection; returns how many there were. */
    public int cut() {
        int ends = 0;
        for (Socket socket : sockets) {
            reset(socket);
            ends++;
        }
        sockets.clear();
        return (ends + 1) / 2; // each has two, but one that is being made
    }

    /** Half open: new connections are accepted and old ones stay, and nothing is heard on any of them. */
    public void stall() {
        synchronized (gate) {
            stalled = true;
        }
    }

    /** How often something was held back by {@link #stall}, until now. */
    public int heldBack() {
        synchronized (gate) {
            return heldBack;
        }
    }

    /** Everything takes that much longer in each direction, and no connection passes more. */
    public void slow(Duration latency, int bytesPerSecond) {
        pace = new Pace(latency, bytesPerSecond);
    }

    private void open(ServerSocket listening) {
        server = listening;
        run("link", () -> accept(listening));
    }

    private void accept(ServerSocket listening) throws IOException {
        while (true) {
            Socket client = listening.accept();
            sockets.add(client);
            run("link-requests", () -> connect(client));
        }
    }

    private void connect(Socket client) throws IOException, InterruptedException {
        awaitOpen();
        try (client;
                Socket store = new Socket()) {
            store.connect(new InetSocketAddress(host, storePort));
            client.setTcpNoDelay(true);
            store.setTcpNoDelay(true);
            sockets.add(store);
            run("link-answers", () -> pass(store, client, answers));
            pass(client, store, StoreLink::chunk);
        } finally {
            reset(client);
        }
    }

    private void pass(Socket from, Socket to, Reading reading) throws IOException, InterruptedException {
        try (from;
                to) {
            DataInputStream in = new DataInputStream(from.getInputStream());
            OutputStream out = to.getOutputStream();
            for (byte[] next = reading.next(in); next != null; next = reading.next(in)) {
                awaitOpen();
                if (closed.await(pace.millisFor(next.length), TimeUnit.MILLISECONDS)) {
                    return;
                }
                awaitOpen();
                out.write(next);
            }
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private void awaitOpen() throws InterruptedException {
        synchronized (gate) {
            if (stalled) {
                heldBack++;
            }
            while (stalled && closed.getCount() > 0) {
                gate.wait();
            }
        }
    }

    private static byte @Nullable [] chunk(InputStream in) throws IOException {
        byte[] chunk = new byte[CHUNK];
        int length = in.read(chunk);
        return length < 0 ? null : Arrays.copyOf(chunk, length);
    }

    /** A whole frame of Kafka's, changed. */
    private static byte[] frame(DataInputStream in, Consumer<byte[]> change) throws IOException {
        byte[] frame = in.readNBytes(in.readInt());
        change.accept(frame);
        return ByteBuffer.allocate(Integer.BYTES + frame.length)
                .putInt(frame.length)
                .put(frame)
                .array();
    }

    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    private static void run(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException | InterruptedException e) {
                        // One side is gone, or does not listen; the other learns of it by its socket's end.
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private static ServerSocket listenAnywhere() {
        UncheckedIOException last = new UncheckedIOException(new IOException("no port was tried"));
        for (int n = 0; n < TRIES_MAX; n++) {
            try {
                return listen(ThreadLocalRandom.current().nextInt(FIRST_PORT, AFTER_LAST_PORT));
            } catch (UncheckedIOException e) {
                last = e;
            }
        }
        throw last;
    }

    private static ServerSocket listen(int port) {
        try {
            ServerSocket server = new ServerSocket();
            server.setReuseAddress(true);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void closeServer() {
        ServerSocket listening = server;
        server = null;
        if (listening != null) {
            try {
                listening.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            // It is closed already.
        }
    }

    @Override
    public void close() {
        closed.countDown();
        refuse();
        synchronized (gate) {
            gate.notifyAll();
        }
    }
}

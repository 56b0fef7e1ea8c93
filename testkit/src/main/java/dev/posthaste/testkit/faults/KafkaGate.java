package dev.posthaste.testkit.faults;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

import dev.posthaste.testkit.TestkitException;

/**
 * A gate before Kafka that reads the headers of what passes and, once, holds a relay's publisher at a point of its
 * transaction: the request or answer at which it stands goes no further until the gate is opened, and when the relay
 * dies meanwhile, never. So a relay is killed at that point and at no other, without any hook in it. Its threads are
 * its own and end with it.
 */
public final class KafkaGate implements AutoCloseable {

    /** Where the gate holds the publisher. */
    public enum Point {
        /** Its transactional id is about to be taken, and older publishers with it to be fenced. */
        START,
        /** The transaction has begun; nothing of it has reached the broker. */
        FIRST_RECORD,
        /** Some of the transaction's records have reached the broker; others have not. */
        LATER_RECORD,
        /** Everything has reached the broker but for the commit. */
        COMMIT,
        /** The broker has the commit, and the publisher does not know it. */
        COMMIT_ANSWER
    }

    private static final long HELD_SECONDS_MAX = 60;
    private static final String PUBLISHER = "posthaste-relay-";

    private final ServerSocket server;
    private final String host;
    private final int port;
    private final ToldAddress told;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean used = new AtomicBoolean();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);
    private volatile CountDownLatch whole = new CountDownLatch(0);
    private volatile @Nullable Point point;
    private volatile boolean lost;
    private volatile boolean closed;

    private KafkaGate(ServerSocket server, String bootstrapServers) {
        this.server = server;
        this.host = bootstrapServers.substring(0, bootstrapServers.lastIndexOf(':'));
        this.port = Integer.parseInt(bootstrapServers.substring(host.length() + 1));
        this.told = new ToldAddress(host, port, server.getLocalPort());
    }

    /** Opens one before a broker of a single address. */
    public static KafkaGate before(String bootstrapServers) {
        try {
            KafkaGate gate = new KafkaGate(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), bootstrapServers);
            gate.run("gate", gate::accept);
            return gate;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What clients give in place of the broker's. */
    public String bootstrapServers() {
        return host + ":" + server.getLocalPort();
    }

    /** Holds the publisher when it next comes there. */
    public void holdAt(Point where) {
        point = where;
    }

    /** Waits until it holds somebody. */
    public void awaitHeld() throws InterruptedException {
        if (!held.await(HELD_SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new TestkitException("Nothing was held at " + point + " within " + HELD_SECONDS_MAX + " s.", null);
        }
    }

    /** Lets it go on. */
    public void open() {
        opened.countDown();
    }

    /** From here on nothing passes in either direction, and nobody is told: what is sent waits. */
    public void cutOff() {
        whole = new CountDownLatch(1);
    }

    /** Lets everything pass again, and what waited first, be it as late as it may. */
    public void restore() {
        whole.countDown();
    }

    /** What it holds goes no further, ever, and its connection ends; all others pass. */
    public void lose() {
        lost = true;
        open();
    }

    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    private void run(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException | InterruptedException e) {
                        // One side is gone, or the test is over.
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (!closed) {
            connect(server.accept());
        }
    }

    private void connect(Socket client) throws IOException {
        Socket broker;
        try {
            broker = new Socket(host, port);
        } catch (IOException e) {
            client.close(); // the broker is away, and may come back
            return;
        }
        client.setTcpNoDelay(true);
        broker.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(broker);
        Link link = new Link(client, broker);
        run("gate-requests", () -> link.pass(link::requests));
        run("gate-answers", () -> link.pass(link::answers));
    }

    private void hold() throws IOException, InterruptedException {
        held.countDown();
        opened.await();
        if (closed || lost) {
            throw new IOException("what was held is lost");
        }
    }

    private boolean holdsAt(Point where) {
        return point == where && used.compareAndSet(false, true);
    }

    /** A client's connection and that to the broker for it. */
    private final class Link {

        private final Socket client;
        private final Socket broker;
        private final Set<Integer> answersToHold = ConcurrentHashMap.newKeySet();
        private int records; // requests of the open transaction that carried records

        Link(Socket client, Socket broker) {
            this.client = client;
            this.broker = broker;
        }

        void pass(Task direction) throws IOException, InterruptedException {
            try (client;
                    broker) {
                direction.run();
            }
        }

        void requests() throws IOException, InterruptedException {
            DataInputStream in = new DataInputStream(client.getInputStream());
            DataOutputStream out = new DataOutputStream(broker.getOutputStream());
            while (!closed) {
                byte[] frame = in.readNBytes(in.readInt());
                ByteBuffer header = ByteBuffer.wrap(frame);
                short api = header.getShort();
                header.getShort(); // its version
                int correlation = header.getInt();
                if (isOfPublisher(header)) {
                    look(api, correlation);
                }
                whole.await();
                write(out, frame);
            }
        }

        private void look(short api, int correlation) throws IOException, InterruptedException {
            if (api == ApiKeys.INIT_PRODUCER_ID.id && holdsAt(Point.START)) {
                hold();
            } else if (api == ApiKeys.PRODUCE.id) {
                if (holdsAt(records == 0 ? Point.FIRST_RECORD : Point.LATER_RECORD)) {
                    hold();
                }
                records++;
            } else if (api == ApiKeys.END_TXN.id) {
                records = 0;
                if (holdsAt(Point.COMMIT)) {
                    hold();
                } else if (holdsAt(Point.COMMIT_ANSWER)) {
                    answersToHold.add(correlation);
                }
            }
        }

        void answers() throws IOException, InterruptedException {
            DataInputStream in = new DataInputStream(broker.getInputStream());
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            while (!closed) {
                byte[] frame = in.readNBytes(in.readInt());
                if (answersToHold.contains(ByteBuffer.wrap(frame).getInt())) {
                    hold();
                }
                told.rewrite(frame);
                whole.await();
                write(out, frame);
            }
        }
    }

    private static boolean isOfPublisher(ByteBuffer header) {
        int length = header.getShort();
        return length > 0
                && new String(header.array(), header.position(), length, StandardCharsets.UTF_8).startsWith(PUBLISHER);
    }

    private static void write(DataOutputStream out, byte[] frame) throws IOException {
        byte[] whole = ByteBuffer.allocate(Integer.BYTES + frame.length)
                .putInt(frame.length)
                .put(frame)
                .array();
        out.write(whole);
    }

    @Override
    public void close() {
        closed = true;
        open();
        restore();
        try {
            server.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

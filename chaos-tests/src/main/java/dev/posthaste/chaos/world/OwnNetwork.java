package dev.posthaste.chaos.world;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * A network of its own for a process (network_namespaces(7)), joined to this machine's by a cable that can be
 * unplugged: then its packets are gone, and neither end is told. No proxy can do that, for it answers keep-alives.
 * Inside, 127.0.0.1 is this machine. All of it ends with the process. Used by one thread.
 */
public final class OwnNetwork {

    private static final Duration JOIN_MAX = Duration.ofSeconds(10);
    private static final int LOOK_MILLIS = 5;

    private static final String OBSTACLE = "no network namespace can be made here: ";

    /** 10.213.0.0/16 in parts of four addresses. */
    private static final String NETWORK = "10.213.";

    private static final int PARTS = 1 << 14;
    private static final AtomicInteger MADE = new AtomicInteger();

    /** Runs inside: waits for the cable's end, makes the way to this machine, and becomes the process. */
    private static final String INSIDE = """
            looks=0
            until ip link set eth0 up 2>/dev/null; do
                looks=$((looks + 1))
                [ $looks -lt 500 ] || exit 1
                sleep 0.02
            done
            ip addr add "$1/30" dev eth0 &&
            echo 1 > /proc/sys/net/ipv4/conf/eth0/route_localnet &&
            ip route add 127.0.0.1 via "$2" dev eth0 src "$1" || exit 1
            shift 2
            exec "$@"
            """;

    private final String machine;
    private final String process;
    private @Nullable String cable;

    private OwnNetwork(int part) {
        int first = part * 4;
        this.machine = NETWORK + first / 256 + "." + (first % 256 + 1);
        this.process = NETWORK + first / 256 + "." + (first % 256 + 2);
    }

    static OwnNetwork next() {
        long pid = ProcessHandle.current().pid();
        return new OwnNetwork((int) ((pid * 64 + MADE.getAndIncrement()) % PARTS));
    }

    /** Why there can be none on this machine, as a trial shows; empty: there can. */
    public static Optional<String> obstacle() {
        OwnNetwork trial = next();
        try {
            Process process = new ProcessBuilder(trial.inside(List.of("cat")))
                    .redirectErrorStream(true)
                    .start();
            try {
                trial.join(process);
                process.getOutputStream().close(); // cat ends
                String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                return process.onExit().join().exitValue() == 0
                        ? Optional.empty()
                        : Optional.of(OBSTACLE + said.strip());
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            return Optional.of(OBSTACLE + e.getMessage());
        }
    }

    /** The process's own address. */
    String address() {
        return process;
    }

    /** The command that runs another one inside; {@link #join} must follow. */
    List<String> inside(List<String> command) {
        List<String> all =
                new ArrayList<>(List.of("unshare", "--net", "sh", "-c", INSIDE, "network", process, machine));
        all.addAll(command);
        return all;
    }

    /**
     * Joins the network of a process that was just started by {@link #inside}.
     *
     * @throws IOException if there is no such process any more, or nothing can be made
     */
    void join(Process started) throws IOException {
        long pid = started.pid();
        awaitNetworkOf(started);
        String made = "ph" + pid;
        SystemCommand.run(
                "ip", "link", "add", made, "type", "veth", "peer", "name", "eth0", "netns", Long.toString(pid));
        SystemCommand.run("ip", "addr", "add", machine + "/30", "dev", made);
        SystemCommand.run("ip", "link", "set", made, "up");
        Files.writeString(Path.of("/proc/sys/net/ipv4/conf", made, "route_localnet"), "1");
        cable = made;
    }

    /** Before it has its own, the end of the cable would come into this machine's. */
    private static void awaitNetworkOf(Process started) throws IOException {
        Path ours = Path.of("/proc/self/ns/net");
        Path its = Path.of("/proc", Long.toString(started.pid()), "ns", "net");
        long deadline = System.nanoTime() + JOIN_MAX.toNanos();
        try {
            while (Files.readSymbolicLink(its).equals(Files.readSymbolicLink(ours))) {
                if (System.nanoTime() - deadline > 0) {
                    throw new IOException("process " + started.pid() + " got no network of its own within " + JOIN_MAX);
                }
                pause();
            }
        } catch (FileSystemException e) {
            throw new IOException("process " + started.pid() + " has ended without a network of its own", e);
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Pulls the cable out. */
    public void unplug() throws IOException {
        SystemCommand.run("ip", "link", "set", required(), "down");
    }

    /** Puts the cable back in, if it is out. */
    public void plug() throws IOException {
        if (cable != null) {
            SystemCommand.run("ip", "link", "set", cable, "up");
        }
    }

    /** Whether the kernel says that the cable carries nothing. */
    public boolean isCut() throws IOException {
        return Files.readString(Path.of("/sys/class/net", required(), "operstate"))
                .strip()
                .equals("down");
    }

    private String required() {
        if (cable == null) {
            throw new IllegalStateException("no process has been joined");
        }
        return cable;
    }
}

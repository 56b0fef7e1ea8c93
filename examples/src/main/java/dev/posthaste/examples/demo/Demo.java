package dev.posthaste.examples.demo;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import dev.posthaste.relay.cli.ExitCode;

/**
 * Runs the processes, kills the relay where asked, waits until all is still, and checks. Owns the processes and their
 * logs; the logs stay if something went wrong. Used by one thread; only the shutdown hook comes on another.
 */
final class Demo implements AutoCloseable {

    private static final Duration READY_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration SETTLE_TIMEOUT = Duration.ofSeconds(90);
    private static final long TICK_MILLIS = 25;
    private static final int TICKS_PER_PROGRESS = 20;

    private final DemoStack stack;
    private final Path logs;
    private final PrintWriter out;
    private final Deque<Child> children = new ArrayDeque<>();
    private final Thread hook = new Thread(this::abandon, "demo-shutdown");
    private boolean keepLogs;
    private volatile boolean abandoned;

    Demo(DemoStack stack, PrintWriter out) throws IOException {
        this.stack = stack;
        this.out = out;
        this.logs = Files.createTempDirectory("posthaste-demo");
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException e) {
            abandon(); // told to end before it began
        }
    }

    /** What may be chosen. */
    record Choices(int messages, int rate, int kills, boolean keepRunning) {}

    int run(Choices choices) throws Exception {
        if (abandoned) {
            return ExitCode.FAILED;
        }
        try {
            int exitCode = runAndCheck(choices);
            keepLogs = exitCode != ExitCode.OK;
            return exitCode;
        } catch (Exception e) {
            if (abandoned) {
                // The servers and processes went away because the demo was told to end.
                return ExitCode.FAILED;
            }
            keepLogs = true;
            throw e;
        }
    }

    private int runAndCheck(Choices choices) throws Exception {
        say("init made " + stack.prepare() + " things: tables, roles, publication, slot, topics, first position");
        Child relay = startRelay();
        awaitReady(relay);
        start(
                "due-notice",
                List.of(
                        "example",
                        "due-notice",
                        "--database",
                        stack.jdbcUrl("circulation", DemoStack.CIRCULATION_DATABASE),
                        "--kafka",
                        stack.kafka(),
                        "--catalog",
                        stack.catalog().toString()));
        start(
                "statistics",
                List.of(
                        "example",
                        "statistics",
                        "--database",
                        stack.jdbcUrl("reporting", DemoStack.REPORTING_DATABASE),
                        "--kafka",
                        stack.kafka(),
                        "--catalog",
                        stack.catalog().toString()));
        Child lending = start(
                "lending",
                List.of(
                        "example",
                        "lending",
                        "--database",
                        stack.jdbcUrl("lending", DemoStack.OUTBOX_DATABASE),
                        "--catalog",
                        stack.catalog().toString(),
                        "--messages",
                        Integer.toString(choices.messages()),
                        "--rate",
                        Integer.toString(choices.rate())));
        say("running relay, lending service and two handlers as processes; logs in " + logs);
        List<RelayKiller.Kill> kills = work(relay, lending, choices);
        Outcome outcome = new Check(stack).read();
        DemoReport.lines(outcome, kills).forEach(out::println);
        out.flush();
        boolean right = outcome.isRight() && kills.size() == choices.kills();
        if (kills.size() < choices.kills()) {
            say("only " + kills.size() + " of " + choices.kills() + " kills happened mid-stream; try more --messages");
        }
        if (choices.keepRunning()) {
            keepRunning();
        }
        return right ? ExitCode.OK : ExitCode.FAILED;
    }

    private List<RelayKiller.Kill> work(Child firstRelay, Child lending, Choices choices) throws Exception {
        List<RelayKiller.Kill> kills = new ArrayList<>();
        Child relay = firstRelay;
        try (Connection outbox = stack.connect(DemoStack.OUTBOX_DATABASE);
                Connection circulation = stack.connect(DemoStack.CIRCULATION_DATABASE);
                Connection reporting = stack.connect(DemoStack.REPORTING_DATABASE)) {
            RelayKiller killer = new RelayKiller(stack, outbox);
            long deadline = Long.MAX_VALUE;
            for (long tick = 0; ; tick++) {
                Counts counts = Counts.read(outbox, circulation, reporting);
                if (tick % TICKS_PER_PROGRESS == 0) {
                    say(counts, kills.size());
                }
                if (counts.isDone(choices.messages())) {
                    say(counts, kills.size());
                    return kills;
                }
                boolean killDue = kills.size() < choices.kills()
                        && counts.committed() >= (long) choices.messages() * (kills.size() + 1) / (choices.kills() + 1);
                RelayKiller.Kill kill = killDue && isReady() ? killer.killIfMidStream(relay) : null;
                if (kill != null) {
                    if (kill.unpublished() > 0) {
                        kills.add(kill);
                        say("SIGKILL " + kills.size() + ": the relay died with " + kill.unpublished() + " of "
                                + kill.committed() + " committed messages on no topic");
                    }
                    killer.relayStarted();
                    relay = startRelay();
                }
                requireRunning(relay, lending);
                if (deadline == Long.MAX_VALUE && counts.committed() == choices.messages()) {
                    deadline = System.nanoTime() + SETTLE_TIMEOUT.toNanos();
                }
                if (deadline != Long.MAX_VALUE && System.nanoTime() - deadline > 0) {
                    say("not everything arrived within " + SETTLE_TIMEOUT.toSeconds() + " s of the last commit");
                    return kills;
                }
                Thread.sleep(TICK_MILLIS);
            }
        }
    }

    private static void requireRunning(Child relay, Child lending) {
        if (!relay.isAlive()) {
            throw new IllegalStateException("the relay ended by itself; see " + relay.log());
        }
        if (!lending.isAlive() && lending.exitCode() != 0) {
            throw new IllegalStateException("the lending service failed; see " + lending.log());
        }
    }

    private Child startRelay() {
        children.removeIf(child -> !child.isAlive());
        return start("relay", stack.relayEnvironment(), List.of("relay"));
    }

    private Child start(String name, List<String> arguments) {
        return start(name, Map.of(), arguments);
    }

    private synchronized Child start(String name, Map<String, String> environment, List<String> arguments) {
        if (abandoned) {
            throw new IllegalStateException("the demo is ending");
        }
        Child child = Child.start(name, logs, environment, arguments);
        children.addFirst(child);
        return child;
    }

    private void awaitReady(Child relay) throws InterruptedException {
        long deadline = System.nanoTime() + READY_TIMEOUT.toNanos();
        while (!isReady()) {
            if (!relay.isAlive() || System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("the relay did not get ready; see " + relay.log());
            }
            Thread.sleep(TICK_MILLIS);
        }
    }

    private boolean isReady() throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + stack.relayPort() + "/health/ready"))
                .timeout(Duration.ofSeconds(2))
                .build();
        try {
            HttpResponse<String> answer =
                    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() == 200 && answer.body().contains("\"streaming\"");
        } catch (IOException e) {
            return false; // not listening yet
        }
    }

    private void keepRunning() throws InterruptedException {
        KeptStack.lines(stack).forEach(out::println);
        out.flush();
        Thread.currentThread().join(); // until Ctrl-C
    }

    private void say(Counts counts, int kills) {
        say(String.format(
                Locale.ROOT,
                "committed %6d   waiting %5d   due-notice %6d   statistics %6d   kills %d",
                counts.committed(),
                counts.pending(),
                counts.dueNotices(),
                counts.borrowed(),
                kills));
    }

    private void say(String text) {
        out.println(text);
        out.flush();
    }

    private synchronized void stopChildren() {
        children.forEach(Child::terminate);
        children.forEach(Child::close);
        children.clear();
        if (!keepLogs) {
            deleteLogs();
        }
    }

    /** Told to end by a signal: PostgreSQL and Kafka are ending as well, so that there is nothing left to drain. */
    private void abandon() {
        abandoned = true;
        synchronized (this) {
            children.forEach(Child::killNow);
            children.clear();
            deleteLogs();
        }
    }

    private void deleteLogs() {
        if (!Files.exists(logs)) {
            return;
        }
        try (Stream<Path> files = Files.walk(logs)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            out.println("the logs in " + logs + " could not be deleted: " + e);
        }
    }

    @Override
    public void close() {
        stopChildren();
        unhook();
    }

    private void unhook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is going down: the hook is running, or has run.
        }
    }
}

package dev.posthaste.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The {@code postmaster.pid} of a data directory: which process serves it, and whether it takes connections yet. */
record PostmasterFile(Path data) {

    private static final int LINE_PID = 0;
    private static final int LINE_STATUS = 7;
    private static final long END_SECONDS_MAX = 10;
    private static final long POLL_NANOS = 2_000_000;

    static PostmasterFile in(Path data) {
        return new PostmasterFile(data);
    }

    /** Whether this process has written that it is ready. */
    boolean isReady(long pid) {
        List<String> lines = lines();
        return lines.size() > LINE_STATUS
                && lines.get(LINE_PID).equals(Long.toString(pid))
                && lines.get(LINE_STATUS).strip().equals("ready");
    }

    /** The PostgreSQL that still runs on this directory, if one does. */
    Optional<ProcessHandle> server() {
        return lines().stream()
                .findFirst()
                .filter(line -> line.matches("[0-9]{1,10}"))
                .flatMap(line -> ProcessHandle.of(Long.parseLong(line)))
                .filter(this::servesThis);
    }

    /** A number may have come round to another process since: only one that names this directory is ours. */
    private boolean servesThis(ProcessHandle process) {
        return process.info().arguments().map(List::of).orElse(List.of()).contains(data.toString());
    }

    /** Ends it as a crash would, with all its children. */
    void endServer() {
        server().ifPresent(PostmasterFile::kill);
    }

    /**
     * SIGKILL for the postmaster and the children it has. It is stopped first: one that forked after they were listed
     * would leave a child that still holds the shared memory when the next start looks for it.
     */
    static void kill(ProcessHandle postmaster) {
        if (postmaster.isAlive()) {
            Shell.stop(postmaster.pid());
        }
        List<ProcessHandle> children = postmaster.descendants().toList();
        postmaster.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        awaitEnd(postmaster);
        children.forEach(PostmasterFile::awaitEnd);
    }

    private static void awaitEnd(ProcessHandle process) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS_MAX);
        while (!hasEnded(process)) {
            if (System.nanoTime() > deadline) {
                throw new TestkitException("PostgreSQL process " + process.pid() + " does not end.", null);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /**
     * Whether it has ended, collected by its parent or not: an orphan's parent is process 1, which in a container may
     * be a program that never collects. Only a zombie has given its memory back; one that is still dying has not.
     */
    static boolean hasEnded(ProcessHandle process) {
        return !process.isAlive() || isZombie(process.pid());
    }

    private static boolean isZombie(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            // The name in parentheses may hold anything; the state stands behind the last of them.
            return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return false; // gone meanwhile, or a system without /proc
        }
    }

    private List<String> lines() {
        try {
            return Files.readAllLines(data.resolve("postmaster.pid"));
        } catch (IOException e) {
            return List.of();
        }
    }
}

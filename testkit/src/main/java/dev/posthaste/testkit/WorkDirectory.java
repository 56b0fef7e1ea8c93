package dev.posthaste.testkit;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * The directory of one embedded server: one the user keeps, or a temporary one that goes with its owner.
 *
 * <p>A temporary directory {@code run/<server>-<owner>-<unique>} has a file of the same name with {@code .lock} beside
 * it, locked by the JVM that owns it. The system releases that lock when the JVM ends in whatever way, and so the next
 * start knows what a dead owner left ({@link Sweep}), in containers that share the directory too.
 */
final class WorkDirectory implements AutoCloseable {

    static final String LOCK_SUFFIX = ".lock";

    private static final int TRIES_MAX = 10;

    private final Path path;
    private final @Nullable FileChannel lock;

    private WorkDirectory(Path path, @Nullable FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Takes the kept directory, or makes a temporary one after removing what dead owners left. */
    static WorkDirectory open(String server, @Nullable Path kept) {
        try {
            if (kept != null) {
                return new WorkDirectory(Files.createDirectories(kept.toAbsolutePath()), null);
            }
            Path run = Directories.makePassable(Directories.ofUser().resolve("run"));
            Sweep.deadOwners(run);
            return temporary(run, server);
        } catch (IOException e) {
            throw new TestkitException("No directory for the data of " + server + " could be made.", e);
        }
    }

    private static WorkDirectory temporary(Path run, String server) throws IOException {
        for (int i = 0; i < TRIES_MAX; i++) {
            String unique = UUID.randomUUID().toString().substring(0, 8);
            String name = server + "-" + owner() + "-" + unique;
            Path lockFile = run.resolve(name + LOCK_SUFFIX);
            FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            // Another JVM's sweep may take or remove the file before we have locked it.
            if (channel.tryLock() != null && Files.exists(lockFile)) {
                return new WorkDirectory(Directories.makePassable(run.resolve(name)), channel);
            }
            channel.close();
        }
        throw new IOException("Each of " + TRIES_MAX + " new lock files in " + run + " was taken by another process.");
    }

    /** This JVM, told apart from an earlier one with the same process id, as in a restarted container. */
    static String owner() {
        ProcessHandle jvm = ProcessHandle.current();
        long started = jvm.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
        return jvm.pid() + "-" + started;
    }

    Path path() {
        return path;
    }

    boolean isTemporary() {
        return lock != null;
    }

    /** Deletes a temporary directory, leaves a kept one. */
    @Override
    public void close() {
        if (lock == null || !lock.isOpen()) {
            return;
        }
        try {
            Directories.delete(path);
            Files.deleteIfExists(path.resolveSibling(path.getFileName() + LOCK_SUFFIX));
            lock.close();
        } catch (IOException e) {
            throw new TestkitException(path + " could not be deleted.", e);
        }
    }
}

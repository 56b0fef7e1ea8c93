package dev.posthaste.testkit;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * The directory of one embedded server: one the user keeps, or a temporary one that goes with its owner.
 *
 * <p>A temporary directory {@code run/<server>-<pid>-<n>} has a file of the same name with {@code .lock} beside it,
 * locked by the JVM that owns it. The system releases that lock when the JVM ends in whatever way, and so the next
 * start knows what a dead owner left ({@link Sweep}), in containers that share the directory too.
 */
final class WorkDirectory implements AutoCloseable {

    static final String LOCK_SUFFIX = ".lock";

    private static final AtomicInteger NUMBER = new AtomicInteger();

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
        while (true) {
            String name = server + "-" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet();
            Path lockFile = run.resolve(name + LOCK_SUFFIX);
            FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            // A sweep may have taken or removed the file between the two calls, and a number may be taken by another
            // class loader's testkit: then the next number.
            if (lock != null && Files.exists(lockFile) && !Files.exists(run.resolve(name))) {
                return new WorkDirectory(Directories.makePassable(run.resolve(name)), channel);
            }
            channel.close();
        }
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
        Directories.delete(path);
        try {
            Files.deleteIfExists(path.resolveSibling(path.getFileName() + LOCK_SUFFIX));
            lock.close();
        } catch (IOException e) {
            throw new TestkitException("The lock of " + path + " could not be removed.", e);
        }
    }
}

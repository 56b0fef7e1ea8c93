package dev.posthaste.chaos.cli;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The directory that one run has for itself. Used by one thread. */
final class RunDirectory {

    private static final String CATALOG = "catalog";

    private final Path path;

    private RunDirectory(Path path) {
        this.path = path;
    }

    /** Makes one of that name, or with a number after it where that is taken; no two runs ever get the same. */
    static RunDirectory make(Path parent, String name) throws IOException {
        Files.createDirectories(parent);
        for (int i = 1; ; i++) {
            Path wanted = parent.resolve(i == 1 ? name : name + "-" + i);
            try {
                return new RunDirectory(Files.createDirectory(wanted));
            } catch (FileAlreadyExistsException e) {
                // the next number is tried
            }
        }
    }

    Path path() {
        return path;
    }

    /** Leaves what explains the run: its files and its catalog. Servers' data and temporary directories go. */
    void keepWhatExplains() throws IOException {
        for (Path child : children()) {
            boolean kept =
                    Files.isDirectory(child) ? child.getFileName().toString().equals(CATALOG) : Files.size(child) > 0;
            if (!kept) {
                deleteTree(child);
            }
        }
    }

    private List<Path> children() throws IOException {
        try (Stream<Path> children = Files.list(path)) {
            return children.toList();
        }
    }

    void delete() throws IOException {
        deleteTree(path);
    }

    private static void deleteTree(Path tree) throws IOException {
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}

package dev.posthaste.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The temporary files that are there now. */
final class Leftovers {

    /** A directory and its lock file. */
    static final int PER_SERVER = 2;

    private Leftovers() {}

    static List<Path> ofThisJvm() throws IOException {
        return of(ProcessHandle.current().pid());
    }

    static List<Path> of(long pid) throws IOException {
        try (Stream<Path> all = Files.list(Directories.ofUser().resolve("run"))) {
            return all.filter(path -> path.getFileName().toString().contains("-" + pid + "-"))
                    .toList();
        }
    }
}

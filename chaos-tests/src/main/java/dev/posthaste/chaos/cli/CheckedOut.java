package dev.posthaste.chaos.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/** The commit that is checked out, read from git's own files: git need not be installed. */
final class CheckedOut {

    private static final String REFERENCE = "ref: ";
    private static final String GIT_DIRECTORY = "gitdir: ";

    private CheckedOut() {}

    /** Its hash; empty where the directory is no checkout. */
    static Optional<String> commit(Path home) {
        try {
            Path git = home.resolve(".git");
            if (Files.isRegularFile(git)) { // a further work tree
                git = home.resolve(read(git).substring(GIT_DIRECTORY.length()));
            }
            String head = read(git.resolve("HEAD"));
            return head.startsWith(REFERENCE) ? commitOf(head.substring(REFERENCE.length()), git) : Optional.of(head);
        } catch (IOException | InvalidPathException | StringIndexOutOfBoundsException e) {
            return Optional.empty(); // a report does without
        }
    }

    private static Optional<String> commitOf(String branch, Path git) throws IOException {
        Path shared = git.resolve("commondir");
        Path common = Files.exists(shared) ? git.resolve(read(shared)) : git;
        if (Files.exists(common.resolve(branch))) {
            return Optional.of(read(common.resolve(branch)));
        }
        return Files.readString(common.resolve("packed-refs"))
                .lines()
                .filter(line -> line.endsWith(" " + branch))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .findFirst();
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file).strip();
    }
}

package dev.posthaste.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

import com.sun.security.auth.module.UnixSystem;

/**
 * The account PostgreSQL runs under. It refuses root, so root starts it as {@code nobody}.
 *
 * @param prefix what stands before each of its commands; each way replaces itself by the command, so the process id is
 *     the server's
 * @param owns whether its files must be given to {@code nobody}
 */
record Account(List<String> prefix, boolean owns) {

    private static final int NOBODY = 65_534;

    /** In a user namespace root's files seem to be nobody's already. */
    private static final List<Account> FOR_ROOT = List.of(
            new Account(List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "--"), true),
            new Account(List.of("chroot", "--userspec=" + NOBODY + ":" + NOBODY, "--groups=", "/"), true),
            new Account(List.of("unshare", "-U", "--"), false));

    private static final String PROBE = "test \"$(id -u)\" != 0 && cd \"$1\" && \"$2\" --version";

    /**
     * The first way that works here, tried by running the server's {@code --version} from its working directory.
     *
     * @throws TestkitException when this is root and no way works
     */
    static Account find(Path postgres, Path work) {
        if (!isRoot()) {
            return new Account(List.of(), false);
        }
        StringJoiner failures = new StringJoiner("; ");
        for (Account account : FOR_ROOT) {
            Shell.Result result = Shell.run(
                    account.command("/bin/sh", "-c", PROBE, "probe", work.toString(), postgres.toString()),
                    Path.of("/"));
            if (result.succeeded()) {
                return account;
            }
            failures.add(account.prefix.get(0) + ": " + result.output());
        }
        throw new TestkitException(
                "PostgreSQL refuses to run as root, and no way was found to run it as another user (" + failures
                        + "). Run as a user other than root, or see that nobody may enter " + work + " and "
                        + postgres.getParent() + ".",
                null);
    }

    static boolean isRoot() {
        return new UnixSystem().getUid() == 0;
    }

    List<String> command(String... command) {
        List<String> all = new ArrayList<>(prefix);
        all.addAll(List.of(command));
        return all;
    }

    /** Makes a file or directory readable and writable for the server. */
    void give(Path path) throws IOException {
        if (owns) {
            Files.setAttribute(path, "unix:uid", NOBODY);
            Files.setAttribute(path, "unix:gid", NOBODY);
        }
    }
}

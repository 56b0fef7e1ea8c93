package dev.posthaste.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * PostgreSQL's data on disk and the programs that serve it.
 *
 * @param work the directory that holds the data, the superuser's password and the log
 * @param programs where {@code initdb} and {@code postgres} are
 * @param account who runs them
 * @param password the superuser's
 */
record PostgresCluster(Path work, Path programs, Account account, String password) {

    static final String SUPERUSER = "postgres";

    private static final String PASSWORD_FILE = "superuser.password";
    private static final String OPTIONS_FILE = "posthaste.conf";

    /** Takes the cluster that stands in this directory, or makes one. */
    static PostgresCluster open(Path work) {
        Path programs = PostgresBinaries.directory().resolve("bin");
        Account account = Account.find(programs.resolve("postgres"), work);
        Path passwordFile = work.resolve(PASSWORD_FILE);
        try {
            if (Files.exists(data(work).resolve("PG_VERSION"))) {
                return new PostgresCluster(work, programs, account, Files.readString(passwordFile));
            }
            PostgresCluster fresh = new PostgresCluster(work, programs, account, Passwords.random());
            fresh.initialise(passwordFile);
            return fresh;
        } catch (IOException e) {
            throw new TestkitException("The data of PostgreSQL in " + work + " could not be made or read.", e);
        }
    }

    static Path data(Path work) {
        return work.resolve("data");
    }

    Path data() {
        return data(work);
    }

    private void initialise(Path passwordFile) throws IOException {
        Files.createDirectories(data());
        Files.setPosixFilePermissions(data(), PosixFilePermissions.fromString("rwx------"));
        Files.deleteIfExists(passwordFile);
        Files.createFile(
                passwordFile, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(passwordFile, password);
        account.give(data());
        account.give(passwordFile);
        // PostgreSQL's own C.UTF-8: the same order of text on every system, whatever locales it has.
        Shell.Result result = Shell.run(
                account.command(
                        programs.resolve("initdb").toString(),
                        "--pgdata=" + data(),
                        "--username=" + SUPERUSER,
                        "--pwfile=" + passwordFile,
                        "--auth=scram-sha-256",
                        "--encoding=UTF8",
                        "--locale=C",
                        "--locale-provider=builtin",
                        "--builtin-locale=C.UTF-8",
                        "--no-sync",
                        "--no-instructions"),
                work);
        if (!result.succeeded()) {
            throw new TestkitException("initdb failed in " + data() + ": " + result.output(), null);
        }
        Files.writeString(
                data().resolve("postgresql.conf"), "\ninclude '" + OPTIONS_FILE + "'\n", StandardOpenOption.APPEND);
    }

    /** Makes a copy of the data in another directory a standby's, of the same superuser. */
    void makeStandby(Path standby) throws IOException {
        Path signal = data(standby).resolve("standby.signal");
        Files.createFile(signal);
        account.give(signal);
        Files.copy(work.resolve(PASSWORD_FILE), standby.resolve(PASSWORD_FILE), StandardCopyOption.COPY_ATTRIBUTES);
    }

    /** Writes the settings to a file of their own: on the command line, ALTER SYSTEM could not change them. */
    void writeOptions(int port, Map<String, String> further) throws IOException {
        String options = PostgresOptions.with(further).entrySet().stream()
                .map(option -> option.getKey() + " = '" + option.getValue().replace("'", "''") + "'\n")
                .collect(Collectors.joining());
        Path file = data().resolve(OPTIONS_FILE);
        Files.writeString(
                file,
                "# Written anew at each start.\n" + options
                        + "listen_addresses = '127.0.0.1'\n"
                        + "unix_socket_directories = ''\n"
                        + "port = " + port + "\n");
        account.give(file);
    }

    /** The server's process, not started yet. */
    ProcessBuilder server() {
        return Shell.process(account.command(programs.resolve("postgres").toString(), "-D", data().toString()), work);
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "PostgreSQL cluster in " + work;
    }
}

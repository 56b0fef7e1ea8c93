package dev.posthaste.chaos.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.flywaydb.core.Flyway;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.Entry.Result;
import dev.posthaste.chaos.history.History;
import dev.posthaste.schemas.Migrations;
import dev.posthaste.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;

/** A database with an outbox and counters, a role that writes, and the history of one load. */
final class LoadScene {

    private static final String ROLE = "chaos_load";

    private final PostgresServer server;
    private final String database;
    private final Path directory;

    LoadScene(PostgresServer server, Path directory) throws SQLException {
        this.server = server;
        this.database = server.createDatabase("load");
        this.directory = directory;
        Flyway.configure()
                .dataSource(server.dataSource(database))
                .locations("classpath:" + Migrations.OUTBOX)
                .load()
                .migrate();
        LoadSchema.createCounters(server.dataSource(database));
        try (Connection connection = server.connect(database);
                Statement statement = connection.createStatement()) {
            statement.execute("DO $$ BEGIN CREATE ROLE " + ROLE + " LOGIN PASSWORD '" + ROLE
                    + "' IN ROLE posthaste_writer; EXCEPTION WHEN duplicate_object THEN NULL; END $$");
        }
    }

    /** What the load is told, and more, which wins. */
    Map<String, String> environment(String... namesAndValues) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "CHAOS_JDBC_URL",
                server.jdbcUrl(database),
                "CHAOS_USER",
                ROLE,
                "CHAOS_PASSWORD",
                ROLE,
                "CHAOS_HISTORY",
                directory.resolve("load.jsonl").toString(),
                "CHAOS_RATE",
                "1000",
                "CHAOS_KEYS",
                "20",
                "CHAOS_ROLLBACK_SHARE",
                "0.2",
                "CHAOS_SAVEPOINT_SHARE",
                "0.1"));
        for (int i = 0; i < namesAndValues.length; i += 2) {
            environment.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return environment;
    }

    History history() {
        try {
            return History.read(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many transactions have an outcome, by a glance at the files. */
    long outcomes() {
        try (Stream<Path> files = Files.list(directory)) {
            long outcomes = 0;
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".jsonl")).toList()) {
                outcomes += Files.readString(file)
                        .lines()
                        .filter(line -> line.contains("\"entry\":\"outcome\""))
                        .count();
            }
            return outcomes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<String> column(String sql) throws SQLException {
        List<String> column = new ArrayList<>();
        try (Connection connection = server.connect(database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                column.add(rows.getString(1));
            }
        }
        return column;
    }

    static Map<Long, Result> results(History history) {
        return history.of(Entry.Outcome.class).stream()
                .collect(Collectors.toMap(Entry.Outcome::tx, Entry.Outcome::result));
    }

    /**
     * What is in the table is what the history says: all that was confirmed, nothing that was rolled back or undone.
     */
    void requireAgreement() throws SQLException {
        History history = history();
        Map<Long, Result> results = results(history);
        Set<UUID> stored = column("SELECT id FROM outbox.message").stream()
                .map(UUID::fromString)
                .collect(Collectors.toSet());
        Set<UUID> seen = new HashSet<>();
        for (Entry.Intent intent : history.of(Entry.Intent.class)) {
            Result result = results.getOrDefault(intent.tx(), Result.UNKNOWN);
            Set<UUID> kept = ids(intent, message -> !message.undone());
            Set<UUID> undone = ids(intent, Entry.Staged::undone);
            assertThat(kept).as("ids of transaction %d", intent.tx()).noneMatch(seen::contains);
            seen.addAll(kept);
            assertThat(ids(intent, Entry.Staged::undone))
                    .as("undone in transaction %d", intent.tx())
                    .noneMatch(stored::contains);
            var ofTheTransaction = assertThat(kept).as("%s in transaction %d", result, intent.tx());
            switch (result) {
                case COMMITTED -> ofTheTransaction.allMatch(stored::contains);
                case ROLLED_BACK -> ofTheTransaction.noneMatch(stored::contains);
                case UNKNOWN ->
                    ofTheTransaction.matches(
                            ids -> stored.containsAll(ids) || ids.stream().noneMatch(stored::contains),
                            "all or nothing");
            }
        }
        assertThat(seen).as("every stored message has its intent").containsAll(stored);
        requireNumbers(history, stored);
    }

    private static Set<UUID> ids(Entry.Intent intent, Predicate<Entry.Staged> which) {
        return intent.messages().stream().filter(which).map(Entry.Staged::id).collect(Collectors.toSet());
    }

    /**
     * Of what is stored, the numbers of each key are 1, 2, 3 …, ascending in each transaction, and as in the payload.
     */
    private void requireNumbers(History history, Set<UUID> stored) throws SQLException {
        Map<String, Set<Long>> numbers = new HashMap<>();
        for (Entry.Intent intent : history.of(Entry.Intent.class)) {
            Map<String, Long> last = new HashMap<>();
            for (Entry.Staged message : intent.messages()) {
                if (stored.contains(message.id())) {
                    assertThat(numbers.computeIfAbsent(message.key(), key -> new HashSet<>())
                                    .add(message.number()))
                            .as("first %s of %s", message.number(), message.key())
                            .isTrue();
                    Long before = last.put(message.key(), message.number());
                    assertThat(before == null || before < message.number()).isTrue();
                }
            }
        }
        numbers.forEach((key, all) -> assertThat(all)
                .as("numbers of %s", key)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, all.size()).boxed().toList()));
        Set<String> told = history.of(Entry.Intent.class).stream()
                .flatMap(intent -> intent.messages().stream())
                .filter(message -> stored.contains(message.id()))
                .map(message -> message.id() + "/" + message.key() + "/" + message.number() + "/" + message.sha256())
                .collect(Collectors.toSet());
        assertThat(column("SELECT id || '/' || key || '/' || (payload ->> 'number') || '/'"
                        + " || encode(sha256(convert_to(payload::text, 'UTF8')), 'hex') FROM outbox.message"))
                .allMatch(told::contains);
    }
}

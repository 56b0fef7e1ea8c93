package dev.posthaste.examples.inbox;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Arrays;
import java.util.UUID;
import java.util.stream.Stream;

import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

import dev.posthaste.schemas.Migrations;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static org.assertj.core.api.Assertions.assertThat;

/** The consumer's side on the command line, in a database without a consumer. */
@PosthasteStack
class InboxCommandTest {

    private static final UUID FIRST = UUID.fromString("00000000-0000-7000-8000-000000000001");
    private static final UUID SECOND = UUID.fromString("00000000-0000-7000-8000-000000000002");

    private String database;

    @BeforeEach
    void twoDeadLetters(PostgresServer server) throws Exception {
        String name = server.createDatabase("inbox");
        database = server.jdbcUrl(name) + "?user=" + server.superuser() + "&password=" + server.password();
        Flyway.configure()
                .dataSource(server.dataSource(name))
                .locations("classpath:" + Migrations.INBOX)
                .load()
                .migrate();
        try (Connection connection = server.connect(name);
                Statement statement = connection.createStatement()) {
            for (UUID id : new UUID[] {FIRST, SECOND}) {
                String key = "'due-notice', '" + id + "', '2026-01-02T03:04:05Z'";
                statement.execute(
                        "INSERT INTO inbox.delivery (handler, message_id, staged_at, state, attempt, code, last_error,"
                                + " record_topic, record_partition, record_offset) VALUES (" + key
                                + ", 'dead-letter', 3, 'provider-away', 'it does not answer', 't', 0, 0)");
                statement.execute(
                        "INSERT INTO inbox.outgoing (handler, message_id, staged_at, route, dead_code, dead_at,"
                                + " record_value, header_names, header_values) VALUES (" + key
                                + ", 'dead-letter', 'provider-away', now(), 'x', '{}', '{}')");
            }
        }
    }

    private record Run(int exit, String out, String err) {}

    private Run run(String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exit = new CommandLine(new InboxCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(Stream.concat(Arrays.stream(words), Stream.of("--database", database))
                        .toArray(String[]::new));
        return new Run(exit, out.toString(), err.toString());
    }

    @Test
    void deadLettersAreListedShownRequeuedAndDiscarded() {
        assertThat(run("counts", "--handler", "due-notice").out()).isEqualTo("dead-letter  2\n");
        assertThat(run("list", "--handler", "due-notice").out())
                .contains(FIRST.toString(), SECOND.toString(), "provider-away: it does not answer", "2 shown");
        assertThat(run("list", "--handler", "due-notice", "--code", "other").out())
                .isEqualTo("0 shown\n");
        String[] by = {"--handler", "due-notice", "--actor", "ada", "--reason", "it is back"};
        assertThat(run(with(by, "requeue", "--all", "--dry-run")).out()).contains(": 2 dead letters of due-notice");
        assertThat(run("counts", "--handler", "due-notice").out()).isEqualTo("dead-letter  2\n");

        assertThat(run(with(by, "requeue", FIRST.toString())).out()).contains("1 requeued");
        assertThat(run(with(by, "discard", SECOND.toString())).out()).contains("is discarded");
        assertThat(run("counts", "--handler", "due-notice").out()).isEqualTo("discarded  1\npending  1\n");
        assertThat(run("show", FIRST.toString()).out())
                .contains("replayed", "by ada: it is back", "provider-away: it does not answer");
    }

    @Test
    void aBadWishIsRefused() {
        String[] by = {"--handler", "due-notice", "--actor", "ada", "--reason", "it is back"};
        assertThat(run(with(by, "requeue", FIRST.toString(), "--code", "x")).exit())
                .isEqualTo(2);
        assertThat(run(with(by, "discard", UUID.randomUUID().toString())).exit())
                .isNotZero();
        assertThat(run(with(by, "requeue", UUID.randomUUID().toString())).exit())
                .isNotZero();
        assertThat(run("show", UUID.randomUUID().toString()).exit()).isNotZero();
        assertThat(run("counts", "--handler", "due-notice").out()).isEqualTo("dead-letter  2\n");
    }

    @Test
    void whatIsNoInboxIsSaid(PostgresServer server) {
        database = server.jdbcUrl(server.createDatabase("empty")) + "?user=" + server.superuser() + "&password="
                + server.password();
        Run without = run("list", "--handler", "due-notice");
        assertThat(without.exit()).isNotZero();
        assertThat(without.err()).contains("there is no inbox in this database", "posthaste init --inbox");
        database = "postgresql://localhost/library";
        Run wrong = run("list", "--handler", "due-notice");
        assertThat(wrong.exit()).isNotZero();
        assertThat(wrong.err()).contains("it begins with jdbc:postgresql:");
    }

    private static String[] with(String[] options, String... words) {
        return Stream.concat(Arrays.stream(words), Arrays.stream(options)).toArray(String[]::new);
    }
}

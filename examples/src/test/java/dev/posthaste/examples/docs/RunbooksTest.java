package dev.posthaste.examples.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;

import dev.posthaste.relay.HaltReason;
import dev.posthaste.schemas.Migrations;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static org.assertj.core.api.Assertions.assertThat;

/** Every reason to halt has its runbook, and the SQL in the runbooks runs. */
@PosthasteStack
class RunbooksTest {

    private static final Pattern SQL = Pattern.compile("-c \"([^\"]*)\"");
    private static final Pattern INBOX_SQL = Pattern.compile("psql \"\\$INBOX\" -c \"([^\"]*)\"");

    @Test
    void everyCauseHasItsPage() throws IOException {
        String index = Repository.read("docs/runbooks/README.md");
        for (HaltReason.Cause cause : HaltReason.Cause.values()) {
            String page = cause.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".md";

            assertThat(index).contains("[" + cause + "](" + page + ")");
            assertThat(Repository.read("docs/runbooks/" + page))
                    .contains("`" + cause + "`", "## What it means", "## How to see it", "## What to do now");
        }
    }

    @Test
    void everyStatementRunsAsAReader(PostgresServer postgres) throws Exception {
        List<String> ofInbox = statements(INBOX_SQL);
        List<String> ofOutbox = statements(SQL);
        ofOutbox.removeAll(ofInbox);
        assertThat(ofOutbox).hasSizeGreaterThan(10);
        assertThat(ofInbox).hasSizeGreaterThan(3);
        run(postgres, Migrations.OUTBOX, "posthaste_reader", ofOutbox);
        run(postgres, Migrations.INBOX, "posthaste_consumer", ofInbox);
    }

    private static void run(PostgresServer postgres, String migrations, String role, List<String> statements)
            throws Exception {
        String database = postgres.createDatabase("runbooks");
        Flyway.configure()
                .dataSource(postgres.jdbcUrl(database), postgres.superuser(), postgres.password())
                .locations(migrations)
                .load()
                .migrate();
        try (Connection connection = postgres.connect(database);
                Statement statement = connection.createStatement()) {
            statement.execute("SET ROLE " + role);
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static List<String> statements(Pattern pattern) throws IOException {
        List<String> statements = new ArrayList<>();
        try (Stream<Path> pages = Files.list(Repository.path("docs/runbooks"))) {
            for (Path page : pages.sorted().toList()) {
                for (String block : Repository.blocks("docs/runbooks/" + page.getFileName(), "sh")) {
                    pattern.matcher(block).results().forEach(sql -> statements.add(sql.group(1)));
                }
            }
        }
        return statements;
    }
}

package dev.posthaste.examples.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;

import dev.posthaste.relay.cli.Posthaste;
import dev.posthaste.schemas.Migrations;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What the README shows is so: its Java is the example's, its SQL does what it says, its commands and links exist. */
@PosthasteStack
class ReadmeTest {

    private static final Path LIBRARY = Path.of("src", "main", "java", "dev", "posthaste", "examples", "library");

    @Test
    void everyJavaBlockIsAMarkedRegionOfTheExample() throws IOException {
        List<String> regions = new ArrayList<>();
        try (Stream<Path> files = Files.list(LIBRARY)) {
            for (Path file : files.toList()) {
                regions.addAll(regions(Files.readString(file)));
            }
        }

        List<String> blocks = Repository.blocks("README.md", "java");

        assertThat(blocks).hasSize(3);
        assertThat(regions).containsExactlyInAnyOrderElementsOf(blocks);
    }

    /** What stands between {@code // readme: name} and {@code // end}. */
    private static List<String> regions(String source) {
        return Arrays.stream(source.split("// readme: .*\n"))
                .skip(1)
                .map(rest ->
                        rest.substring(0, rest.indexOf("// end")).stripIndent().strip() + "\n")
                .toList();
    }

    @Test
    void theSqlDoesWhatTheTextSays(PostgresServer postgres) throws Exception {
        String database = postgres.createDatabase("readme");
        Flyway.configure()
                .dataSource(postgres.jdbcUrl(database), postgres.superuser(), postgres.password())
                .locations(Migrations.OUTBOX)
                .load()
                .migrate();
        List<String> blocks = Repository.blocks("README.md", "sql");
        assertThat(blocks).hasSize(4);
        try (Connection connection = postgres.connect(database);
                Statement statement = connection.createStatement()) {
            statement.execute(blocks.get(0));
            assertThatThrownBy(() -> statement.execute(blocks.get(1)))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("schema_version_is_at_least_1");
            statement.execute(blocks.get(2));
            statement.execute(blocks.get(3));

            try (var keys = statement.executeQuery("SELECT string_agg(key, ',' ORDER BY key) FROM outbox.message")) {
                keys.next();
                assertThat(keys.getString(1)).isEqualTo("copy-by-hand,no-loan");
            }
        }
    }

    @Test
    void everyPosthasteCommandOnEveryPageIsOne() throws IOException {
        List<String> commands = new ArrayList<>();
        for (Path page : Repository.pages()) {
            for (String block :
                    Repository.blocks(Repository.path("").relativize(page).toString(), "sh")) {
                block.replace("\\\n", " ")
                        .lines()
                        .filter(line -> line.startsWith("./posthaste "))
                        .forEach(commands::add);
            }
        }

        assertThat(commands).hasSizeGreaterThan(5).allSatisfy(command -> Posthaste.commandLine()
                .parseArgs(Shell.words(command.substring("./posthaste ".length()))));
    }

    @Test
    void everyLinkOnEveryPageLeadsToAFile() throws IOException {
        for (Path page : Repository.pages()) {
            List<String> dead = Repository.links(Files.readString(page)).stream()
                    .filter(target -> !Files.exists(page.resolveSibling(target)))
                    .toList();
            assertThat(dead).as("dead links of " + page).isEmpty();
        }
    }
}

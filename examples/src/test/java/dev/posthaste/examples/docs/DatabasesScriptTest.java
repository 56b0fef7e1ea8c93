package dev.posthaste.examples.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.examples.docs.ComposeFile.Service;
import dev.posthaste.examples.library.Database;
import dev.posthaste.relay.cli.EnvironmentSettings;
import dev.posthaste.relay.setup.TableSetup;
import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.testkit.EmbeddedPostgres;

import static org.assertj.core.api.Assertions.assertThat;

/** docker/databases.sql makes what the services of docker-compose.yml log in to, with no more than they need. */
class DatabasesScriptTest {

    private static EmbeddedPostgres postgres;

    @BeforeAll
    static void runTheScript() throws Exception {
        postgres = EmbeddedPostgres.launch();
        String database = "postgres";
        StringBuilder statements = new StringBuilder();
        for (String line : Repository.read("docker/databases.sql").lines().toList()) {
            if (line.startsWith("\\connect ")) {
                execute(database, statements.toString());
                statements.setLength(0);
                database = line.substring("\\connect ".length());
            } else if (line.startsWith("\\i ")) {
                statements.append(Files.readString(mounted(line.substring("\\i ".length()))));
            } else {
                statements.append(line).append('\n');
            }
        }
        execute(database, statements.toString());
        DatabaseSettings library = settings("init");
        assertThat(library.name()).isEqualTo("library");
        new TableSetup(library).migrateOutbox();
    }

    @AfterAll
    static void stop() {
        postgres.close();
    }

    private static void execute(String database, String sql) throws SQLException {
        // CREATE DATABASE wants a statement of its own.
        List<String> statements = sql.contains("CREATE DATABASE") ? List.of(sql.split(";\n")) : List.of(sql);
        try (Connection connection = postgres.connect(database);
                Statement statement = connection.createStatement()) {
            for (String one : statements) {
                statement.execute(one);
            }
        }
    }

    /** What the PostgreSQL container has at a path. */
    private static Path mounted(String inside) throws IOException {
        for (String volume : ComposeFile.read().service("postgres").volumes()) {
            String[] parts = volume.split(":");
            if (inside.startsWith(parts[1] + "/")) {
                return Repository.path(parts[0]).resolve(inside.substring(parts[1].length() + 1));
            }
        }
        throw new AssertionError("nothing is mounted at " + inside);
    }

    /** A service's login, but on this server; the superuser's password is the server's own. */
    private static DatabaseSettings settings(String service) throws IOException {
        DatabaseSettings inside = EnvironmentSettings.read(
                        ComposeFile.read().service(service).environment())
                .database();
        String password = inside.user().equals(postgres.superuser()) ? postgres.password() : inside.password();
        return new DatabaseSettings(
                postgres.host(), postgres.port(), inside.name(), inside.user(), password, inside.sslMode());
    }

    @Test
    void theRelayLogsInAndMayReplicate() throws Exception {
        try (Connection connection = settings("relay-1").connect("test");
                Statement statement = connection.createStatement();
                var row = statement.executeQuery("SELECT rolreplication AND NOT rolsuper AND "
                        + "pg_has_role('posthaste_relay', 'MEMBER') FROM pg_roles WHERE rolname = current_user")) {
            row.next();
            assertThat(row.getBoolean(1)).isTrue();
        }
    }

    @Test
    void theServicesLogInWithTheirPasswordFileAndMakeTheirTables(@TempDir Path directory) throws Exception {
        Path passwords = directory.resolve("pgpass");
        Files.writeString(
                passwords,
                Repository.read("docker/pgpass")
                        .replaceAll("(?m)^postgres:5432:", postgres.host() + ":" + postgres.port() + ":"));
        System.setProperty("org.postgresql.pgpassfile", passwords.toString());
        try {
            for (Map.Entry<String, String> service : Map.of(
                            "lending", "lending.sql", "due-notice", "circulation.sql", "statistics", "reporting.sql")
                    .entrySet()) {
                String url = url(ComposeFile.read().service(service.getKey()));
                try (var pool = Database.pool(url, 1)) {
                    Database.makeTables(pool, service.getValue());
                }
            }
        } finally {
            System.clearProperty("org.postgresql.pgpassfile");
        }
    }

    @Test
    void thePasswordFileIsMountedWhereTheServicesLook() throws IOException {
        for (String name : List.of("lending", "due-notice", "statistics")) {
            Service service = ComposeFile.read().service(name);

            assertThat(service.volumes())
                    .contains("./docker/pgpass:" + service.environment().get("PGPASSFILE") + ":ro");
        }
    }

    @Test
    void aHandlersServiceHasItsInbox() throws SQLException {
        for (String database : List.of("circulation", "reporting")) {
            String url = "jdbc:postgresql://" + postgres.host() + ":" + postgres.port() + "/" + database;
            try (Connection connection = DriverManager.getConnection(url, database, database);
                    Statement statement = connection.createStatement()) {
                statement.execute("SELECT inbox.ensure_partitions()");
                statement.execute("SELECT count(*) FROM inbox.delivery");
            }
        }
    }

    private static String url(Service service) {
        return service.option("database")
                .replace("//postgres:5432/", "//" + postgres.host() + ":" + postgres.port() + "/");
    }
}

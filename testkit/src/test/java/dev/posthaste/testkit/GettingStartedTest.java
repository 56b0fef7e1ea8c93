package dev.posthaste.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The examples of the README: what stands between its marks stands here too. */
class GettingStartedTest {

    // example: junit
    @PosthasteStack
    static class LoanTest {

        private static String database;

        @BeforeAll
        static void ownDatabaseAndTopic(PostgresServer postgres, KafkaBroker kafka) throws Exception {
            database = postgres.createDatabase("loans");
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
                NewTopic topic = new NewTopic(database + ".due-notice", 1, (short) 1);
                admin.createTopics(List.of(topic)).all().get();
            }
        }

        @Test
        void aLoanIsStored(PostgresServer postgres) throws SQLException {
            try (Connection connection = postgres.connect(database);
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE loan (id int PRIMARY KEY)");
                assertThat(statement.executeUpdate("INSERT INTO loan VALUES (1)"))
                        .isEqualTo(1);
            }
        }
    }
    // end

    @Test
    void plainObjects() throws SQLException, ExecutionException, InterruptedException {
        // example: plain
        try (Stack stack = Stack.start();
                Connection connection = stack.postgres().connect("postgres");
                Admin admin =
                        Admin.create(Map.of("bootstrap.servers", stack.kafka().bootstrapServers()))) {
            System.out.println(connection.getMetaData().getDatabaseProductVersion());
            System.out.println(admin.describeCluster().clusterId().get());
        }
        // end
    }

    @Test
    void aCrash() throws SQLException {
        // example: crash
        try (EmbeddedPostgres postgres = EmbeddedPostgres.launch()) {
            String database = postgres.createDatabase("crash");
            postgres.killHard();
            postgres.start();
            postgres.connect(database).close();
        }
        // end
    }

    @Test
    void theReadmeQuotesTheseExamples() throws Exception {
        String source = Files.readString(
                Path.of("src", "test", "java", "dev", "posthaste", "testkit", "GettingStartedTest.java"));
        String readme = Files.readString(Path.of("README.md"));

        for (String name : List.of("junit", "plain", "crash")) {
            String rest = source.substring(source.indexOf("// example: " + name + "\n"));
            String example = rest.substring(rest.indexOf('\n') + 1, rest.indexOf("// end"));
            assertThat(readme)
                    .as("example " + name)
                    .contains("```java\n" + example.stripIndent().strip() + "\n```");
        }
    }
}

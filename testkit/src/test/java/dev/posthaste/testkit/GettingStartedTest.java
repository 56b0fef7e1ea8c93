package dev.posthaste.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The README quotes what stands between the marks here, and all of {@code LoanTest}. */
class GettingStartedTest {

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
    void aFailover() throws SQLException {
        // example: failover
        try (EmbeddedPostgres primary = EmbeddedPostgres.launch();
                EmbeddedPostgres standby = primary.launchStandby("standby_1")) {
            primary.killHard();
            standby.promote();
            standby.connect("postgres").close();
        }
        // end
    }

    @Test
    void theReadmeQuotesTheseExamples() throws Exception {
        Path tests = Path.of("src", "test", "java", "dev", "posthaste", "testkit");
        String loanTest = Files.readString(tests.resolve("example").resolve("LoanTest.java"));
        String thisTest = Files.readString(tests.resolve("GettingStartedTest.java"));

        assertThat(readme()).contains(block(loanTest.substring(loanTest.indexOf("import "))));
        for (String name : List.of("plain", "crash", "failover")) {
            String rest = thisTest.substring(thisTest.indexOf("// example: " + name + "\n"));
            assertThat(readme()).contains(block(rest.substring(rest.indexOf('\n') + 1, rest.indexOf("// end"))));
        }
    }

    private static String block(String code) {
        return "```java\n" + code.stripIndent().strip() + "\n```";
    }

    private static String readme() throws IOException {
        return Files.readString(Path.of("README.md"));
    }
}

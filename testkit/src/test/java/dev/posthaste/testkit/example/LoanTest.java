package dev.posthaste.testkit.example;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.KafkaBroker;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static org.assertj.core.api.Assertions.assertThat;

@PosthasteStack
class LoanTest {

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

            assertThat(statement.executeUpdate("INSERT INTO loan VALUES (1)")).isEqualTo(1);
        }
    }
}

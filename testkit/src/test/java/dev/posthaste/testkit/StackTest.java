package dev.posthaste.testkit;

import java.sql.Connection;
import java.sql.Statement;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@PosthasteStack
class StackTest {

    @Test
    void bothServersAnswer(Stack stack) throws Exception {
        String database = stack.postgres().createDatabase("answers");
        try (Connection connection = stack.postgres().connect(database);
                Statement statement = connection.createStatement()) {
            assertThat(statement.execute("SELECT 1")).isTrue();
        }
    }
}

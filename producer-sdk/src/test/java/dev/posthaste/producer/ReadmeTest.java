package dev.posthaste.producer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import dev.posthaste.producer.example.LendingDesk;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static org.assertj.core.api.Assertions.assertThat;

/** The README's example is a class that is compiled and run. */
@PosthasteStack
class ReadmeTest {

    private static final Pattern JAVA_BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void theReadmeHasTheExampleAsItIs() throws IOException {
        Matcher blocks = JAVA_BLOCK.matcher(Files.readString(Path.of("README.md")));
        String example = Files.readString(Path.of("src/test/java/dev/posthaste/producer/example/LendingDesk.java"));

        assertThat(blocks.find()).isTrue();
        assertThat(blocks.group(1)).isEqualTo(example.substring(example.indexOf("import ")));
        assertThat(blocks.find()).as("another example that nobody compiles").isFalse();
    }

    @Test
    void theExampleWorks(PostgresServer server) throws SQLException {
        OutboxDatabase database = OutboxDatabase.create(server);
        database.execute("CREATE TABLE loan (copy text PRIMARY KEY, member text)");
        LendingDesk desk = new LendingDesk(database.dataSource());
        List<String> screen = new ArrayList<>();

        UUID id = desk.borrow("c1", "Ada \"Countess\"");
        assertThat(database.query("SELECT member FROM loan")).containsExactly("Ada \"Countess\"");
        assertThat(database.query("SELECT payload ->> 'member' FROM outbox.message WHERE id = ?", id))
                .containsExactly("Ada \"Countess\"");

        desk.giveBack("c1", screen::add, screen::add);
        assertThat(database.query("SELECT member FROM loan")).isEmpty();
        assertThat(screen).containsExactly("c1 is on the shelf");
        assertThat(database.messages()).isEqualTo(1);
    }
}

package dev.posthaste.consumer;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A consumer in a process of its own: started by a test, told by its environment where its stores are. */
final class MemberProcess implements AutoCloseable {

    private static final int SIGKILLED = 137;

    private final Process process;

    private MemberProcess(Process process) {
        this.process = process;
    }

    /** Starts a main class of the tests with the scene's stores and what else it is to know. */
    static MemberProcess start(Scene scene, Class<?> main, Map<String, String> further, String... jvmOptions)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx128m"));
        command.addAll(List.of(jvmOptions));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        Map<String, String> environment = new HashMap<>(further);
        environment.put("JDBC_URL", scene.stack.postgres().jdbcUrl(scene.database));
        environment.put("JDBC_USER", scene.stack.postgres().superuser());
        environment.put("JDBC_PASSWORD", scene.stack.postgres().password());
        environment.put("NAMESPACE", scene.namespace);
        environment.put("BOOTSTRAP_SERVERS", scene.stack.kafka().bootstrapServers());
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().putAll(environment);
        return new MemberProcess(builder.start());
    }

    /** In the process: the database of its environment. */
    static HikariDataSource database() {
        HikariConfig database = new HikariConfig();
        database.setJdbcUrl(System.getenv("JDBC_URL"));
        database.setUsername(System.getenv("JDBC_USER"));
        database.setPassword(System.getenv("JDBC_PASSWORD"));
        database.setMinimumIdle(0);
        return new HikariDataSource(database);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for its own end and returns how it ended. */
    int exitCode(Duration bound) throws InterruptedException {
        assertThat(process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS))
                .as("the process has ended by itself")
                .isTrue();
        return process.exitValue();
    }

    /** SIGKILL; fails if it had ended before. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        assertThat(exitCode(Duration.ofSeconds(30))).as("SIGKILL").isEqualTo(SIGKILLED);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}

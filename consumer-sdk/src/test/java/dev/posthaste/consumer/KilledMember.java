package dev.posthaste.consumer;

import java.sql.Statement;
import java.time.Duration;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import static dev.posthaste.consumer.Handler.handler;

/** A process that handles loans until it is killed; its settings come in its environment. */
final class KilledMember {

    private KilledMember() {}

    public static void main(String[] arguments) throws InterruptedException {
        HikariConfig database = new HikariConfig();
        database.setJdbcUrl(System.getenv("JDBC_URL"));
        database.setUsername(System.getenv("JDBC_USER"));
        database.setPassword(System.getenv("JDBC_PASSWORD"));
        Handler slow = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            try (Statement statement = tx.connection().createStatement()) {
                statement.execute("SELECT pg_sleep(0.005)");
            }
            Scene.write("due-notice", event, tx);
        });
        try (HikariDataSource pool = new HikariDataSource(database);
                PosthasteConsumer consumer = PosthasteConsumer.builder()
                        .namespace(System.getenv("NAMESPACE"))
                        .bootstrapServers(System.getenv("BOOTSTRAP_SERVERS"))
                        .dataSource(pool)
                        .catalog(Catalogs.ofLoans("due-notice"))
                        .meters(new SimpleMeterRegistry())
                        .settings(
                                ConsumerSettings.defaults().withChunkMax(20).withSessionTimeout(Duration.ofSeconds(6)))
                        .handler(slow)
                        .build()) {
            consumer.start();
            Thread.currentThread().join();
        }
    }
}

package dev.posthaste.consumer;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import static dev.posthaste.consumer.Handler.handler;
import static org.awaitility.Awaitility.await;

/**
 * A process with a leased handler whose call ends when it is told so in the database; it ends itself with
 * {@link #REFUSED} once the completion was refused and counted.
 */
final class FrozenMember {

    static final int REFUSED = 7;
    static final Duration LEASE = Duration.ofSeconds(3);

    private FrozenMember() {}

    public static void main(String[] arguments) {
        HikariConfig database = new HikariConfig();
        database.setJdbcUrl(System.getenv("JDBC_URL"));
        database.setUsername(System.getenv("JDBC_USER"));
        database.setPassword(System.getenv("JDBC_PASSWORD"));
        HikariDataSource pool = new HikariDataSource(database);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Handler calls = handler("charge")
                .lease(LEASE)
                .on(Loan.TYPE, 1, Loan.class)
                .call((event, call) -> {
                    await().atMost(Duration.ofMinutes(2)).until(() -> isToldToEnd(pool));
                    return Outcome.done();
                });
        PosthasteConsumer consumer = PosthasteConsumer.builder()
                .namespace(System.getenv("NAMESPACE"))
                .bootstrapServers(System.getenv("BOOTSTRAP_SERVERS"))
                .dataSource(pool)
                .catalog(Catalogs.leased("charge"))
                .meters(meters)
                .settings(ConsumerSettings.defaults()
                        .withLockTimeout(Duration.ofSeconds(1))
                        .withSessionTimeout(Duration.ofSeconds(6)))
                .handler(calls)
                .build();
        consumer.start();
        await().atMost(Duration.ofMinutes(2))
                .until(() -> meters.get("posthaste.delivery.attempts")
                                .tag("outcome", "stale")
                                .counter()
                                .count()
                        == 1);
        System.exit(REFUSED);
    }

    private static boolean isToldToEnd(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM told")) {
            row.next();
            return row.getInt(1) > 0;
        }
    }
}

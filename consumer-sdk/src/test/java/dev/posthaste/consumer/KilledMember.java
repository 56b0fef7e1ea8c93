package dev.posthaste.consumer;

import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.OnDeadLetter;

import static dev.posthaste.consumer.Handler.handler;

/**
 * A process that handles loans in order per key, several at a time, until it is killed; some fail. Its settings come in
 * its environment.
 */
final class KilledMember {

    /** Many attempts: none becomes a dead letter for bad luck. */
    static final Catalog CATALOG = Catalogs.perKey("due-notice", OnDeadLetter.BLOCK, 500);

    /** A loan of that member is never done. */
    static final String NEVER = "never-done";

    private static final CountDownLatch FOREVER = new CountDownLatch(1);

    private KilledMember() {}

    private static void handle(Event<Loan> event, Transaction tx) throws Exception {
        Scene.write("due-notice", event, tx);
        if (event.payload().member().equals(NEVER)) {
            FOREVER.await();
        }
        if (ThreadLocalRandom.current().nextInt(25) == 0) {
            throw new IllegalStateException("at random");
        }
        try (Statement statement = tx.connection().createStatement()) {
            statement.execute("SELECT pg_sleep(0.008)");
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        HikariConfig database = new HikariConfig();
        database.setJdbcUrl(System.getenv("JDBC_URL"));
        database.setUsername(System.getenv("JDBC_USER"));
        database.setPassword(System.getenv("JDBC_PASSWORD"));
        Handler slow = handler("due-notice")
                .concurrency(2)
                .on(Loan.TYPE, 1, Loan.class)
                .handle(KilledMember::handle);
        try (HikariDataSource pool = new HikariDataSource(database);
                PosthasteConsumer consumer = PosthasteConsumer.builder()
                        .namespace(System.getenv("NAMESPACE"))
                        .bootstrapServers(System.getenv("BOOTSTRAP_SERVERS"))
                        .dataSource(pool)
                        .catalog(CATALOG)
                        .meters(new SimpleMeterRegistry())
                        .settings(ConsumerSettings.defaults()
                                .withChunkMax(20)
                                .withLanesMax(2)
                                .withSessionTimeout(Duration.ofSeconds(6)))
                        .handler(slow)
                        .build()) {
            consumer.start();
            Thread.currentThread().join();
        }
    }
}

package dev.posthaste.chaos.consumer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.posthaste.chaos.load.ChaosCatalog;
import dev.posthaste.consumer.PosthasteConsumer;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.CatalogReader;

/**
 * A process with the handlers of the chaos tests. It drains upon SIGTERM and ends with its parent;
 * {@link ConsumerOptions} names what its environment may say.
 */
public final class ConsumerProcess {

    private static final int ORPHANED = 99;
    private static final int CONNECTIONS_BESIDE_LANES = 2;
    private static final int CONNECTIONS_OF_ALL = 3;
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(3);

    private ConsumerProcess() {}

    /** Runs it. */
    public static void main(String[] arguments) throws Exception {
        endWithParent();
        ConsumerOptions options = ConsumerOptions.of(System.getenv());
        ChaosHandlers handlers = new ChaosHandlers(options.trouble(), new ProviderClient(options.provider()));
        try (HikariDataSource pool = pool(options)) {
            PosthasteConsumer.Builder builder = PosthasteConsumer.builder()
                    .namespace(options.namespace())
                    .bootstrapServers(options.bootstrapServers())
                    .dataSource(pool)
                    .catalog(catalog())
                    .meters(new SimpleMeterRegistry())
                    .settings(options.settings());
            options.handlers().forEach(name -> builder.handler(handlers.named(name)));
            runUntilTold(builder.build());
        }
    }

    private static void endWithParent() {
        ProcessHandle.current().parent().ifPresent(parent -> {
            // Its servers died with it: there is nothing to drain into.
            var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(ORPHANED));
        });
    }

    private static Catalog catalog() throws IOException {
        Path directory = Files.createTempDirectory("chaos-catalog");
        ChaosCatalog.writeTo(directory, ChaosCatalog.HANDLERS);
        return CatalogReader.read(directory);
    }

    private static HikariDataSource pool(ConsumerOptions options) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(options.jdbcUrl());
        config.setUsername(options.user());
        config.setPassword(options.password());
        config.setMaximumPoolSize(
                options.handlers().size() * (options.settings().lanesMax() + CONNECTIONS_BESIDE_LANES)
                        + CONNECTIONS_OF_ALL);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(CONNECTION_TIMEOUT.toMillis());
        config.setInitializationFailTimeout(-1); // the database may be away at the start
        config.addDataSourceProperty("ApplicationName", "chaos-consumer");
        // Connections that were cut off end, here and there.
        config.addDataSourceProperty("connectTimeout", "2");
        config.addDataSourceProperty("socketTimeout", "10");
        config.addDataSourceProperty("options", "-c idle_in_transaction_session_timeout=30s");
        return new HikariDataSource(config);
    }

    private static void runUntilTold(PosthasteConsumer consumer) throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch drained = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> tellAndWait(told, drained), "chaos-consumer-shutdown"));
        try {
            consumer.start();
            told.await();
        } finally {
            consumer.close();
            drained.countDown();
        }
    }

    private static void tellAndWait(CountDownLatch told, CountDownLatch drained) {
        told.countDown();
        try {
            drained.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.posthaste.examples.library;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import dev.posthaste.consumer.Handler;
import dev.posthaste.consumer.PosthasteConsumer;
import dev.posthaste.schemas.catalog.CatalogReader;

/** A service with one handler; runs until SIGTERM, then drains. */
abstract class HandlerCommand implements Callable<Integer> {

    private static final int CONNECTIONS = 8;

    @Option(
            names = "--database",
            required = true,
            paramLabel = "URL",
            description = "JDBC URL of the handler's own database.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String database;

    @Option(names = "--kafka", required = true, paramLabel = "SERVERS", description = "Bootstrap servers.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String kafka;

    @Option(
            names = "--namespace",
            defaultValue = "library",
            description = "First part of the topics' names (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String namespace;

    @Option(names = "--catalog", required = true, paramLabel = "DIR", description = "Directory of the catalog.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path catalog;

    abstract Handler handler();

    abstract String tables();

    @Override
    public Integer call() throws Exception {
        try (HikariDataSource pool = Database.pool(database, CONNECTIONS)) {
            Database.makeTables(pool, tables());
            // readme: consumer
            PosthasteConsumer consumer = PosthasteConsumer.builder()
                    .namespace(namespace)
                    .bootstrapServers(kafka)
                    .dataSource(pool)
                    .catalog(CatalogReader.read(catalog))
                    .meters(new SimpleMeterRegistry())
                    .handler(handler())
                    .build();
            // end
            CountDownLatch told = new CountDownLatch(1);
            CountDownLatch drained = new CountDownLatch(1);
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(
                            () -> {
                                told.countDown();
                                try {
                                    drained.await();
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            },
                            "example-shutdown"));
            try {
                consumer.start();
                told.await();
            } finally {
                consumer.close();
                drained.countDown();
            }
            return 0;
        }
    }

    @Command(name = "due-notice", description = "Run the handler due-notice.")
    static final class DueNotice extends HandlerCommand {
        @Override
        Handler handler() {
            return DueNotices.dueNotice();
        }

        @Override
        String tables() {
            return "circulation.sql";
        }
    }

    @Command(name = "statistics", description = "Run the handler statistics.")
    static final class Counting extends HandlerCommand {
        @Override
        Handler handler() {
            return Statistics.statistics();
        }

        @Override
        String tables() {
            return "reporting.sql";
        }
    }
}

package dev.posthaste.examples.library;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import com.zaxxer.hikari.HikariDataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import dev.posthaste.producer.Outbox;
import dev.posthaste.schemas.catalog.CatalogReader;

/** The lending service at work: lends until so many messages are committed. */
@Command(
        name = "lending",
        description = "Lend copies: single loans, batches, transactions that are rolled back and savepoints that are.")
final class LendingCommand implements Callable<Integer> {

    private static final int WRITERS = 4;

    @Option(
            names = "--database",
            required = true,
            paramLabel = "URL",
            description = "JDBC URL of the database with the outbox.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String database;

    @Option(names = "--catalog", required = true, paramLabel = "DIR", description = "Directory of the catalog.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path catalog;

    @Option(
            names = "--messages",
            defaultValue = "1000",
            description = "How many messages to commit (default: ${DEFAULT-VALUE}).")
    private int messages;

    @Option(
            names = "--rate",
            defaultValue = "500",
            description = "Messages a second, about (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Override
    public Integer call() throws Exception {
        if (messages < 1 || rate < 1) {
            throw new IllegalArgumentException(
                    "--messages is " + messages + " and --rate is " + rate + ", but both must be at least 1");
        }
        try (HikariDataSource pool = Database.pool(database, WRITERS * 2)) {
            Database.makeTables(pool, "lending.sql");
            LendingService service = new LendingService(Outbox.create(CatalogReader.read(catalog)));
            LendingDesk desk = new LendingDesk(pool, service, messages, rate);
            ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
            try {
                List<Future<?>> all = new ArrayList<>();
                for (int writer = 0; writer < WRITERS; writer++) {
                    all.add(writers.submit(desk::lendUntilDone));
                }
                for (Future<?> one : all) {
                    one.get();
                }
            } finally {
                writers.shutdownNow();
            }
        }
        return 0;
    }
}

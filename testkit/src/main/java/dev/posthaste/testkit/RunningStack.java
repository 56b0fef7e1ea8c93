package dev.posthaste.testkit;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/** The two servers of a stack, whatever they run on. */
record RunningStack(PostgresServer postgres, KafkaBroker kafka) implements Stack {

    /** Starts PostgreSQL on a thread that ends with the start, the broker on the caller's. */
    static RunningStack start(Supplier<PostgresServer> postgres, Supplier<KafkaBroker> kafka) {
        FutureTask<PostgresServer> starting = new FutureTask<>(postgres::get);
        new Thread(starting, "posthaste-testkit-postgres-start").start();
        KafkaBroker broker;
        try {
            broker = kafka.get();
        } catch (RuntimeException | Error e) {
            closeAfter(e, starting);
            throw e;
        }
        try {
            return new RunningStack(await(starting), broker);
        } catch (RuntimeException e) {
            broker.close();
            throw e;
        }
    }

    private static PostgresServer await(FutureTask<PostgresServer> starting) {
        try {
            return starting.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof TestkitException known
                    ? known
                    : new TestkitException("PostgreSQL did not start: " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TestkitException("Interrupted while PostgreSQL was starting.", e);
        }
    }

    private static void closeAfter(Throwable first, FutureTask<PostgresServer> starting) {
        try {
            await(starting).close();
        } catch (RuntimeException e) {
            first.addSuppressed(e);
        }
    }

    @Override
    public void close() {
        try {
            kafka.close();
        } finally {
            postgres.close();
        }
    }
}

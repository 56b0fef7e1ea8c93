package dev.posthaste.chaos.load;

import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.Entry.Result;
import dev.posthaste.testkit.EmbeddedPostgres;
import dev.posthaste.testkit.StopMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class LoadTest {

    private static EmbeddedPostgres server;
    private static final ExecutorService threads = Executors.newSingleThreadExecutor();

    private LoadScene scene;
    private final StopSignal stop = new StopSignal();

    @BeforeAll
    static void launch() {
        server = EmbeddedPostgres.launch();
    }

    @AfterAll
    static void close() {
        threads.shutdownNow();
        server.close();
    }

    @BeforeEach
    void prepare(@TempDir Path directory) throws Exception {
        scene = new LoadScene(server, directory);
    }

    private Future<?> start(String... namesAndValues) {
        Load load = new Load(LoadSettings.of(scene.environment(namesAndValues)), stop);
        return threads.submit(() -> {
            load.run();
            return null;
        });
    }

    private void end(Future<?> load) throws Exception {
        stop.give();
        load.get(30, TimeUnit.SECONDS);
    }

    private void awaitOutcomes(long atLeast) {
        await().atMost(60, TimeUnit.SECONDS).until(() -> scene.outcomes() >= atLeast);
    }

    @Test
    void historyAgreesWithTheTables() throws Exception {
        Future<?> load = start("CHAOS_REFUSED_SHARE", "0.05", "CHAOS_LARGE_SHARE", "0.01");
        awaitOutcomes(150);
        end(load);

        scene.requireAgreement();
        assertThat(LoadScene.results(scene.history()).values()).contains(Result.COMMITTED, Result.ROLLED_BACK);
        assertThat(scene.history().of(Entry.Intent.class))
                .allSatisfy(intent -> assertThat(intent.messages()).hasSizeBetween(1, 20));
        assertThat(scene.column("SELECT DISTINCT type FROM outbox.message"))
                .containsExactlyInAnyOrder(ChaosCatalog.TYPE, ChaosCatalog.UNKNOWN_TYPE);
        assertThat(scene.column("SELECT max(octet_length(payload::text)) > 200000 FROM outbox.message"))
                .containsExactly("t");
        assertThat(scene.history().of(Entry.Outcome.class)).allSatisfy(outcome -> assertThat(outcome.lsn() != null)
                .isEqualTo(outcome.result() == Result.COMMITTED));
    }

    @Test
    void keepsToItsRate() throws Exception {
        long before = System.nanoTime();
        Future<?> load = start("CHAOS_RATE", "500", "CHAOS_ROLLBACK_SHARE", "0", "CHAOS_SAVEPOINT_SHARE", "0");
        awaitOutcomes(100);
        end(load);
        double seconds = (System.nanoTime() - before) / 1e9;

        long stored = Long.parseLong(
                scene.column("SELECT count(*) FROM outbox.message").get(0));
        assertThat(stored).isLessThanOrEqualTo((long) (500 * (seconds + 1)));
    }

    @Test
    void goesOnWhenTheDatabaseWasKilledAndStopped() throws Exception {
        Future<?> load = start("CHAOS_ROLLBACK_SHARE", "0");
        awaitOutcomes(50);
        server.killHard();
        server.start();
        long afterKill = scene.outcomes();
        awaitOutcomes(afterKill + 50);
        server.stop(StopMode.FAST);
        server.start();
        long afterStop = scene.outcomes();
        awaitOutcomes(afterStop + 50);
        end(load);

        scene.requireAgreement();
        assertThat(LoadScene.results(scene.history()).values())
                .contains(Result.COMMITTED)
                .containsAnyOf(Result.UNKNOWN, Result.ROLLED_BACK);
    }

    @Test
    void whatCannotBeWrittenIsRolledBackAndTheLoadGoesOn() throws Exception {
        Future<?> load = start("CHAOS_ROLLBACK_SHARE", "0");
        awaitOutcomes(20);
        String database = scene.column("SELECT current_database()").get(0);
        try (var connection = server.connect("postgres");
                var statement = connection.createStatement()) {
            statement.execute("ALTER DATABASE " + database + " SET default_transaction_read_only = on");
            statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE application_name = 'chaos-load'");
            await().atMost(20, TimeUnit.SECONDS)
                    .until(() -> LoadScene.results(scene.history()).containsValue(Result.ROLLED_BACK));
            statement.execute("ALTER DATABASE " + database + " RESET default_transaction_read_only");
        }
        awaitOutcomes(scene.outcomes() + 50);
        end(load);

        scene.requireAgreement();
        assertThat(LoadScene.results(scene.history()).values()).contains(Result.ROLLED_BACK);
    }

    @Test
    void extraTransactionsAreMadeOnceAndThenItEnds() throws Exception {
        Future<?> load = start("CHAOS_RATE", "0", "CHAOS_HUGE", "3000", "CHAOS_OPEN_SECONDS", "1");
        load.get(60, TimeUnit.SECONDS);

        scene.requireAgreement();
        assertThat(scene.history().of(Entry.Intent.class))
                .extracting(intent -> intent.messages().size())
                .containsExactlyInAnyOrder(3_000, 5);
    }
}

package dev.posthaste.chaos.load;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.Entry.Result;
import dev.posthaste.chaos.history.History;
import dev.posthaste.testkit.EmbeddedPostgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class LoadProcessTest {

    private static EmbeddedPostgres server;

    @TempDir
    private Path directory;

    private LoadScene scene;

    @BeforeAll
    static void launch() {
        server = EmbeddedPostgres.launch();
    }

    @AfterAll
    static void close() {
        server.close();
    }

    @BeforeEach
    void prepare() throws Exception {
        scene = new LoadScene(server, directory);
    }

    private JavaProcess start(String... namesAndValues) {
        JavaProcess process = JavaProcess.start(LoadProcess.class, directory, scene.environment(namesAndValues));
        await().atMost(60, TimeUnit.SECONDS).until(() -> scene.outcomes() >= 50);
        return process;
    }

    private void requireEverythingTold() throws Exception {
        scene.requireAgreement();
        History history = scene.history();
        assertThat(LoadScene.results(history))
                .containsOnlyKeys(history.of(Entry.Intent.class).stream()
                        .map(Entry.Intent::tx)
                        .toList())
                .doesNotContainValue(Result.UNKNOWN);
    }

    @Test
    void killedItLeavesAHistoryWithAtMostOneUnknownForEachWriter() throws Exception {
        for (int i = 0; i < 2; i++) { // the second one goes on in the same history
            try (JavaProcess process = start("CHAOS_WRITERS", "4")) {
                long before = scene.outcomes();
                await().until(() -> scene.outcomes() > before + 20);
                process.kill();
            }
        }

        History history = scene.history();
        Map<Long, Result> results = LoadScene.results(history);
        assertThat(history.of(Entry.Intent.class))
                .filteredOn(intent -> !results.containsKey(intent.tx()))
                .hasSizeLessThanOrEqualTo(2 * 4);
        await().untilAsserted(scene::requireAgreement); // the server may still be at a commit
    }

    @Test
    void endsWithItsInput() throws Exception {
        try (JavaProcess process = start()) {
            process.closeInput();
            assertThat(process.endsWithin(20)).as(process.log()).isTrue();
        }
        requireEverythingTold();
    }

    @Test
    void endsUponSigterm() throws Exception {
        try (JavaProcess process = start()) {
            process.terminate();
            assertThat(process.endsWithin(20)).as(process.log()).isTrue();
        }
        requireEverythingTold();
    }

    @Test
    void endsOnceTheStopFileIsThere() throws Exception {
        Path file = directory.resolve("stop");
        try (JavaProcess process = start("CHAOS_STOP_FILE", file.toString())) {
            Files.createFile(file);
            assertThat(process.endsWithin(20)).as(process.log()).isTrue();
        }
        requireEverythingTold();
    }
}

package dev.posthaste.chaos.consumer;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.History;
import dev.posthaste.chaos.history.HistoryWriter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ProviderTest {

    @TempDir
    private Path directory;

    private HistoryWriter history;
    private Provider provider;
    private ProviderClient client;

    @BeforeEach
    void start() {
        history = HistoryWriter.open(directory.resolve("provider.jsonl"));
        provider = Provider.start(history);
        client = new ProviderClient(provider.url());
    }

    @AfterEach
    void close() {
        provider.close();
        history.close();
    }

    private void requireFailure(String key) {
        assertThatThrownBy(() -> client.call("charge", key)).isInstanceOf(IOException.class);
    }

    @Test
    void chargesOnceForAKeyAndRecordsEveryCall() throws Exception {
        client.call("charge", "one");
        client.call("charge", "one");
        client.call("charge", "two");

        assertThat(provider.charges()).isEqualTo(2);
        assertThat(provider.answered()).isEqualTo(3);
        assertThat(History.read(directory).of(Entry.Call.class))
                .allMatch(Entry.Call::answered)
                .allMatch(call -> call.handler().equals("charge"))
                .extracting(Entry.Call::idempotencyKey)
                .containsExactly("one", "one", "two");
    }

    @Test
    void failsForAllOrForOneOrForAShare() throws Exception {
        provider.failForAll(true);
        requireFailure("one");
        provider.failForAll(false);
        provider.failFor("one", true);
        requireFailure("one");
        client.call("charge", "two");
        provider.failFor("one", false);
        client.call("charge", "one");
        provider.failForShare(1);
        requireFailure("three");
        provider.failForShare(0);
        client.call("charge", "three");

        assertThat(History.read(directory).of(Entry.Call.class))
                .extracting(call -> call.idempotencyKey() + " " + call.answered())
                .containsExactly("one false", "one false", "two true", "one true", "three false", "three true");
    }

    @Test
    void isSlowAndDownAndBackAtTheSameAddress() throws Exception {
        provider.slowDown(Duration.ofMillis(300));
        long before = System.nanoTime();
        client.call("charge", "one");
        assertThat(System.nanoTime() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(290));
        provider.slowDown(Duration.ZERO);
        provider.goDown();
        requireFailure("two");
        provider.comeUp();
        client.call("charge", "two");

        assertThat(History.read(directory).of(Entry.Call.class))
                .extracting(Entry.Call::idempotencyKey)
                .containsExactly("one", "two");
    }
}

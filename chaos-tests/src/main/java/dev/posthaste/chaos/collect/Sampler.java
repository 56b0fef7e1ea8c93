package dev.posthaste.chaos.collect;

import java.net.URI;
import java.net.http.HttpClient;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;

/**
 * Asks everybody how things stand, all at once, and does not wait for those who do not answer within two seconds. Used
 * by one thread.
 */
public final class Sampler implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final String UNREACHABLE = "unreachable";

    private final ExecutorService threads = Executors.newCachedThreadPool(Sampler::daemon);
    private final TopicEnds topicEnds;
    private final Question<Long> published;
    private final Question<Long> pending;
    private final Question<Long> effects;
    private final Question<Long> wal;
    private final LongSupplier calls;
    private final List<Question<String>> states;
    private final List<Question<Long>> heaps;

    /**
     * Asks these.
     *
     * @param slot the relay's
     * @param relays where their HTTP servers are
     * @param calls how many the provider has answered with success; tells it at once
     */
    public Sampler(RunSources sources, String slot, List<URI> relays, LongSupplier calls) {
        this.calls = calls;
        HttpClient http = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
        List<RelayProbe> probes =
                relays.stream().map(relay -> new RelayProbe(http, relay)).toList();
        this.topicEnds = new TopicEnds(
                sources.bootstrapServers(),
                sources.namespace().topic(sources.handlers().get(0)),
                PATIENCE);
        this.published = new Question<>(threads, topicEnds::sum);
        this.pending = number(sources.outbox(), "SELECT messages FROM outbox.pending_summary()");
        this.effects = number(sources.inbox(), "SELECT coalesce(max(place), 0) FROM chaos.effect");
        this.wal = number(
                sources.outbox(),
                "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::bigint"
                        + " FROM pg_replication_slots WHERE slot_name = ?",
                slot);
        this.states = probes.stream()
                .map(probe -> new Question<String>(threads, probe::state))
                .toList();
        this.heaps = probes.stream()
                .map(probe -> new Question<Long>(threads, probe::heap))
                .toList();
    }

    /**
     * How things stand now. What stands for committed records is how far the ends of what is committed on the first
     * handler's topic are from its beginnings: that counts the marks at the end of transactions as well, also of
     * aborted ones, so it tells whether something moves and not how much. What stands for the number of effects is the
     * place of the newest one, which counts those that were rolled back. A relay that does not answer is
     * {@code unreachable}.
     */
    public Entry.Sample sample() {
        Instant at = Instant.now();
        Stream.of(List.of(published, pending, effects, wal), states, heaps)
                .flatMap(List::stream)
                .forEach(Question::ask);
        long deadline = Question.deadline(PATIENCE);
        return new Entry.Sample(
                at,
                published.answer(deadline),
                pending.answer(deadline),
                effects.answer(deadline),
                calls.getAsLong(),
                wal.answer(deadline),
                largestHeap(deadline),
                states.stream()
                        .map(state -> Objects.requireNonNullElse(state.answer(deadline), UNREACHABLE))
                        .toList());
    }

    private @Nullable Long largestHeap(long deadline) {
        Long largest = null;
        for (Question<Long> heap : heaps) {
            Long bytes = heap.answer(deadline);
            if (bytes != null && (largest == null || bytes > largest)) {
                largest = bytes;
            }
        }
        return largest;
    }

    private Question<Long> number(DataSource database, String sql, String... parameters) {
        return new Question<>(threads, () -> number(database, sql, List.of(parameters)));
    }

    private static @Nullable Long number(DataSource database, String sql, List<String> parameters) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout(Math.toIntExact(PATIENCE.toSeconds()));
            for (int i = 0; i < parameters.size(); i++) {
                statement.setString(i + 1, parameters.get(i));
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getObject(1, Long.class) : null;
            }
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "chaos-sampler");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        topicEnds.close();
    }
}

package dev.posthaste.chaos.consumer;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.posthaste.chaos.load.ChaosCatalog;
import dev.posthaste.chaos.load.Variables;
import dev.posthaste.consumer.BreakerSettings;
import dev.posthaste.consumer.ConsumerSettings;

/**
 * What a {@link ConsumerProcess} is told by its environment. Immutable.
 *
 * @param jdbcUrl {@code CHAOS_INBOX_URL}: the database with the inbox and the effects
 * @param user {@code CHAOS_INBOX_USER}: a member of {@code posthaste_consumer}
 * @param password {@code CHAOS_INBOX_PASSWORD}
 * @param bootstrapServers {@code CHAOS_BOOTSTRAP_SERVERS}
 * @param namespace {@code CHAOS_NAMESPACE}
 * @param provider {@code CHAOS_PROVIDER_URL}: that of {@link Provider#url()}
 * @param handlers {@code CHAOS_HANDLERS}: names, separated by commas; default: all
 * @param settings {@code CHAOS_CHUNK_MAX} (20), {@code CHAOS_LANES_MAX} (4), {@code CHAOS_SESSION_TIMEOUT_MILLIS}
 *     (6,000), {@code CHAOS_BREAKER_PAUSE_MILLIS} (2,000), {@code CHAOS_BREAKER_MESSAGES} (10)
 * @param trouble {@code CHAOS_SEED}, {@code CHAOS_FAIL_SHARE} of the attempts, {@code CHAOS_POISON_SHARE} of the
 *     messages, {@code CHAOS_SLOW_SHARE} of the attempts, {@code CHAOS_SLOW_MILLIS} (500)
 */
record ConsumerOptions(
        String jdbcUrl,
        String user,
        String password,
        String bootstrapServers,
        String namespace,
        URI provider,
        List<String> handlers,
        ConsumerSettings settings,
        Trouble trouble) {

    /** Shorter than the lease of charge, as the SDK demands. */
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(2);

    private static final Duration STORE_BACKOFF_MAX = Duration.ofSeconds(1);
    private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(10);

    ConsumerOptions {
        handlers = List.copyOf(handlers);
        for (String handler : handlers) {
            if (!ChaosCatalog.HANDLERS.contains(handler)) {
                throw new IllegalArgumentException(
                        "CHAOS_HANDLERS names \"" + handler + "\", but there are only " + ChaosCatalog.HANDLERS);
            }
        }
    }

    static ConsumerOptions of(Map<String, String> environment) {
        Variables variables = new Variables(environment);
        return new ConsumerOptions(
                variables.required("CHAOS_INBOX_URL"),
                variables.required("CHAOS_INBOX_USER"),
                variables.required("CHAOS_INBOX_PASSWORD"),
                variables.required("CHAOS_BOOTSTRAP_SERVERS"),
                variables.required("CHAOS_NAMESPACE"),
                URI.create(variables.required("CHAOS_PROVIDER_URL")),
                variables
                        .text("CHAOS_HANDLERS")
                        .map(names -> List.of(names.split(",", -1)))
                        .orElse(ChaosCatalog.HANDLERS),
                settings(variables),
                new Trouble(
                        variables.number("CHAOS_SEED", 1, Long.MIN_VALUE, Long.MAX_VALUE),
                        variables.share("CHAOS_FAIL_SHARE"),
                        variables.share("CHAOS_POISON_SHARE"),
                        variables.share("CHAOS_SLOW_SHARE"),
                        Duration.ofMillis(variables.number("CHAOS_SLOW_MILLIS", 500, 0, 600_000))));
    }

    private static ConsumerSettings settings(Variables variables) {
        return ConsumerSettings.defaults()
                .withChunkMax(variables.count("CHAOS_CHUNK_MAX", 20, 1, 500))
                .withLanesMax(variables.count("CHAOS_LANES_MAX", 4, 1, 64))
                .withSessionTimeout(
                        Duration.ofMillis(variables.number("CHAOS_SESSION_TIMEOUT_MILLIS", 6_000, 6_000, 300_000)))
                .withBreaker(new BreakerSettings(
                        variables.count("CHAOS_BREAKER_MESSAGES", 10, 2, 100_000),
                        Duration.ofMillis(variables.number("CHAOS_BREAKER_PAUSE_MILLIS", 2_000, 100, 3_600_000))))
                .withLockTimeout(LOCK_TIMEOUT)
                .withStoreBackoffMax(STORE_BACKOFF_MAX)
                .withDrainTimeout(DRAIN_TIMEOUT);
    }
}

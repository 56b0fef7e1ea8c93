package dev.posthaste.consumer;

import java.net.http.HttpClient;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.DeliveryMode;
import dev.posthaste.schemas.catalog.DeliveryOrder;
import dev.posthaste.schemas.catalog.DurableDelivery;
import dev.posthaste.schemas.catalog.HandlerRecord;
import dev.posthaste.schemas.catalog.OnDeadLetter;

import static dev.posthaste.consumer.Handler.handler;

/**
 * A process with several handlers that is killed under load: {@code account} writes in order per key and cannot bear
 * some of its messages, {@code notice} calls a provider that refuses now and then, {@code charge} calls another such
 * one under a lease. What each does with a message is decided by the message alone.
 */
final class LoadMember {

    static final List<String> HANDLERS = List.of("account", "notice", "charge");

    private static final DurableDelivery DELIVERY = new DurableDelivery(
            "effect-once",
            "the test's database",
            "skipped",
            new DurableDelivery.Retry(6, Duration.ofMillis(100), Duration.ofMillis(400), Duration.ofHours(1)),
            "docs/runbooks/none.md",
            Duration.ofMinutes(5),
            new DurableDelivery.Alerts(Duration.ofMinutes(1), 1));

    private LoadMember() {}

    /** One in 40 can never be handled, and says so. */
    static boolean isPermanent(int n) {
        return n % 40 == 13;
    }

    /** One in 40 fails at every attempt. */
    static boolean isPoison(int n) {
        return n % 40 == 27;
    }

    /** One in 20 fails at its first attempt. */
    static boolean isShaky(int n) {
        return n % 20 == 5;
    }

    static Catalog catalog() {
        return Catalogs.of(
                List.of(Catalogs.event(Loan.TYPE, 1)),
                List.of(
                        record("account", DeliveryMode.TRANSACTIONAL, DeliveryOrder.PER_KEY),
                        record("notice", DeliveryMode.TRANSACTIONAL, DeliveryOrder.UNORDERED),
                        record("charge", DeliveryMode.LEASED, DeliveryOrder.UNORDERED)));
    }

    private static HandlerRecord record(String handler, DeliveryMode mode, DeliveryOrder order) {
        return new HandlerRecord(
                handler,
                "lending",
                List.of(new HandlerRecord.Subscription(Loan.TYPE, Set.of(1))),
                mode,
                order,
                OnDeadLetter.PASS,
                DELIVERY);
    }

    private static Handler account() {
        return handler("account")
                .permanent(IllegalArgumentException.class)
                .on(Loan.TYPE, 1, Loan.class)
                .handle((event, tx) -> {
                    work(tx);
                    Scene.write("account", event, tx);
                    int n = event.payload().n();
                    if (isPermanent(n)) {
                        throw new IllegalArgumentException("it can never be handled");
                    }
                    if (isPoison(n) || (isShaky(n) && tx.delivery().attempt() == 1)) {
                        throw new IllegalStateException("it cannot be handled now");
                    }
                });
    }

    private static Handler notice(String provider) {
        HttpClient client = HttpClient.newHttpClient();
        return handler("notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            work(tx);
            Scene.write("notice", event, tx);
            ProviderStub.call(client, provider, event.id().toString());
        });
    }

    private static Handler charge(String provider) {
        HttpClient client = HttpClient.newHttpClient();
        return handler("charge")
                .lease(Duration.ofSeconds(3))
                .on(Loan.TYPE, 1, Loan.class)
                .call((event, call) -> {
                    ProviderStub.call(client, provider, call.idempotencyKey());
                    return Outcome.done();
                });
    }

    private static void work(Transaction tx) throws SQLException {
        try (Statement statement = tx.connection().createStatement()) {
            statement.execute("SELECT pg_sleep(0.005)");
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        try (HikariDataSource pool = MemberProcess.database();
                PosthasteConsumer consumer = PosthasteConsumer.builder()
                        .namespace(System.getenv("NAMESPACE"))
                        .bootstrapServers(System.getenv("BOOTSTRAP_SERVERS"))
                        .dataSource(pool)
                        .catalog(catalog())
                        .meters(new SimpleMeterRegistry())
                        .settings(ConsumerSettings.defaults()
                                .withChunkMax(20)
                                .withLockTimeout(Duration.ofSeconds(2))
                                .withSessionTimeout(Duration.ofSeconds(6))
                                // Its provider fails for one, not for all.
                                .withBreaker(new BreakerSettings(100_000, Duration.ofSeconds(30))))
                        .handler(account())
                        .handler(notice(System.getenv("PROVIDER_URL")))
                        .handler(charge(System.getenv("LEASED_PROVIDER_URL")))
                        .build()) {
            consumer.start();
            Thread.currentThread().join();
        }
    }
}

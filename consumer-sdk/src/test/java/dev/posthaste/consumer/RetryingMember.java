package dev.posthaste.consumer;

import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** A process that handles loans, most of them retries. */
final class RetryingMember {

    private RetryingMember() {}

    public static void main(String[] arguments) throws InterruptedException {
        try (HikariDataSource pool = MemberProcess.database();
                PosthasteConsumer consumer = PosthasteConsumer.builder()
                        .namespace(System.getenv("NAMESPACE"))
                        .bootstrapServers(System.getenv("BOOTSTRAP_SERVERS"))
                        .dataSource(pool)
                        .catalog(Catalogs.ofLoans("due-notice"))
                        .meters(new SimpleMeterRegistry())
                        .settings(ConsumerSettings.defaults().withSessionTimeout(Duration.ofSeconds(6)))
                        .handler(Scene.writing("due-notice"))
                        .build()) {
            consumer.start();
            Thread.currentThread().join();
        }
    }
}

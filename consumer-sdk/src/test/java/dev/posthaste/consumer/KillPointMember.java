package dev.posthaste.consumer;

import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import static dev.posthaste.consumer.Handler.handler;

/** A process that ends at one point, named in its environment. */
final class KillPointMember {

    private KillPointMember() {}

    public static void main(String[] arguments) throws InterruptedException {
        KillPoint point = KillPoint.valueOf(System.getenv("KILL_POINT"));
        Handler failsAtFirst = handler(point.handler())
                .on(Loan.TYPE, 1, Loan.class)
                .handle((event, tx) -> {
                    Scene.write(point.handler(), event, tx);
                    if (point.needsFailure() && event.payload().n() == 1) {
                        throw new IllegalStateException("not at first");
                    }
                });
        try (HikariDataSource pool = MemberProcess.database();
                PosthasteConsumer consumer = PosthasteConsumer.builder()
                        .namespace(System.getenv("NAMESPACE"))
                        .bootstrapServers(System.getenv("BOOTSTRAP_SERVERS"))
                        .dataSource(point.in(pool))
                        .catalog(Catalogs.ofLoans(point.handler()))
                        .meters(new SimpleMeterRegistry())
                        .settings(ConsumerSettings.defaults().withSessionTimeout(Duration.ofSeconds(6)))
                        .handler(failsAtFirst)
                        .build()) {
            consumer.start();
            Thread.currentThread().join();
        }
    }
}

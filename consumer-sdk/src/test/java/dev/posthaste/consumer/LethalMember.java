package dev.posthaste.consumer;

import java.time.Duration;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import static dev.posthaste.consumer.Handler.handler;

/** A process that does not survive the loan of one number: in the handler, or in its reader. */
final class LethalMember {

    static final int EXIT_CODE = 86;
    static final int LETHAL = 60;

    private LethalMember() {}

    public static void main(String[] arguments) throws InterruptedException {
        boolean reading = Boolean.parseBoolean(System.getenv("KILLED_IN_READER"));
        Handler lethal = handler("due-notice")
                .on(Loan.TYPE, 1, payload -> {
                    Loan loan = Scene.loan(payload);
                    if (reading && loan.n() == LETHAL) {
                        Runtime.getRuntime().halt(EXIT_CODE);
                    }
                    return loan;
                })
                .handle((event, tx) -> {
                    Scene.write("due-notice", event, tx);
                    if (event.payload().n() == LETHAL) {
                        Runtime.getRuntime().halt(EXIT_CODE);
                    }
                });
        try (HikariDataSource pool = MemberProcess.database();
                PosthasteConsumer consumer = consumer(pool, lethal)) {
            consumer.start();
            Thread.currentThread().join();
        }
    }

    private static PosthasteConsumer consumer(DataSource pool, Handler handler) {
        return PosthasteConsumer.builder()
                .namespace(System.getenv("NAMESPACE"))
                .bootstrapServers(System.getenv("BOOTSTRAP_SERVERS"))
                .dataSource(pool)
                .catalog(Catalogs.ofLoans("due-notice"))
                .meters(new SimpleMeterRegistry())
                .settings(ConsumerSettings.defaults().withChunkMax(20).withSessionTimeout(Duration.ofSeconds(6)))
                .handler(handler)
                .build();
    }
}

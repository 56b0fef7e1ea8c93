package dev.posthaste.chaos.consumer;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

import dev.posthaste.chaos.load.ChaosCatalog;
import dev.posthaste.consumer.Event;
import dev.posthaste.consumer.Handler;
import dev.posthaste.consumer.Outcome;
import dev.posthaste.consumer.Transaction;

/** The handlers of the chaos tests. Immutable. */
final class ChaosHandlers {

    /** Short, so that a run does not wait for the claims of the dead. */
    private static final Duration LEASE = Duration.ofSeconds(3);

    private static final Duration CALL_MAX = Duration.ofSeconds(20);

    private final Trouble trouble;
    private final ProviderClient provider;

    ChaosHandlers(Trouble trouble, ProviderClient provider) {
        this.trouble = trouble;
        this.provider = provider;
    }

    Handler named(String name) {
        return name.equals(ChaosCatalog.CHARGE) ? charging(name) : writing(name);
    }

    private Handler writing(String name) {
        return Handler.handler(name)
                .permanent(Trouble.PoisonException.class)
                .on(ChaosCatalog.TYPE, 1, Moved.class)
                .handle((event, tx) -> {
                    trouble.strike(name, event.id(), tx.delivery().attempt());
                    write(name, event, tx);
                });
    }

    private static void write(String handler, Event<Moved> event, Transaction tx) throws SQLException {
        try (PreparedStatement insert = tx.connection()
                .prepareStatement("INSERT INTO chaos.effect (handler, id, key, number) VALUES (?, ?, ?, ?)")) {
            insert.setString(1, handler);
            insert.setObject(2, event.id());
            insert.setString(3, event.payload().key());
            insert.setLong(4, event.payload().number());
            insert.executeUpdate();
        }
    }

    private Handler charging(String name) {
        return Handler.handler(name)
                .lease(LEASE)
                .callMax(CALL_MAX)
                .permanent(Trouble.PoisonException.class)
                .on(ChaosCatalog.TYPE, 1, Moved.class)
                .call((event, call) -> {
                    trouble.strike(name, event.id(), call.delivery().attempt());
                    provider.call(name, call.idempotencyKey());
                    return Outcome.done();
                });
    }
}

package dev.posthaste.consumer.internal;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import dev.posthaste.consumer.CommandBus;
import dev.posthaste.consumer.Event;
import dev.posthaste.consumer.Outcome;
import dev.posthaste.consumer.Transaction;
import dev.posthaste.schemas.MessageKind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@SuppressWarnings("NullAway") // what Java lets a user write
class WorkTest {

    private static final Event<String> COMMAND = new Event<>(
            UUID.randomUUID(),
            MessageKind.JOURNEY_STEP_COMMAND,
            "library.issue-card",
            1,
            null,
            "",
            Instant.EPOCH,
            Instant.EPOCH,
            Map.of(),
            "payload");

    /** Nobody here uses it. */
    private static final Transaction TX = (Transaction) Proxy.newProxyInstance(
            WorkTest.class.getClassLoader(), new Class<?>[] {Transaction.class}, (proxy, method, arguments) -> null);

    @Test
    void aCommandBusThatReturnsNullIsToldWhatToReturnAndItsScopeIsClosed() {
        AtomicInteger closed = new AtomicInteger();
        CommandBus bus = () -> new CommandBus.Scope() {
            @Override
            public Outcome send(Event<?> command, Transaction tx) {
                return null;
            }

            @Override
            public void close() {
                closed.incrementAndGet();
            }
        };
        assertThatThrownBy(() -> new Work.Command<String>(bus).run(List.of(COMMAND), TX))
                .isInstanceOf(NoOutcomeException.class)
                .hasMessageStartingWith("the handler returned null; return Outcome.done()");
        assertThat(closed).hasValue(1);
    }

    @Test
    void aCommandBusThatOpensNullIsNamed() {
        assertThatThrownBy(() -> new Work.Command<String>(() -> null).run(List.of(COMMAND), TX))
                .hasMessage("the command bus opened no scope, but null");
    }
}

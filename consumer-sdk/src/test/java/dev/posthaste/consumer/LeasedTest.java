package dev.posthaste.consumer;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.consumer.inbox.Arrival;
import dev.posthaste.consumer.inbox.DeliveryId;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.LeasedDelivery;
import dev.posthaste.consumer.inbox.PostgresInbox;
import dev.posthaste.consumer.inbox.Verdict;
import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.schemas.catalog.DeliveryMode;
import dev.posthaste.schemas.catalog.OnDeadLetter;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Handlers that are called outside any transaction, under a lease. */
@PosthasteStack
class LeasedTest {

    private static final ConsumerSettings SETTINGS = ConsumerSettings.defaults()
            .withSessionTimeout(Duration.ofSeconds(6))
            .withStoreBackoffMax(Duration.ofMillis(200))
            .withLockTimeout(Duration.ofMillis(500));

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    private static PosthasteConsumer start(Scene scene, CallHandler<Loan> function) {
        return start(scene, function, Duration.ofSeconds(1), Duration.ofMinutes(1));
    }

    private static PosthasteConsumer start(Scene scene, CallHandler<Loan> function, Duration lease, Duration callMax) {
        Handler calls = handler("charge")
                .lease(lease)
                .callMax(callMax)
                .on(Loan.TYPE, 1, Loan.class)
                .call(function);
        return scene.start(scene.builder(Catalogs.leased("charge"), calls).settings(SETTINGS));
    }

    /** Transactions of others that were open at that moment and are open still. */
    private static int openSince(Connection connection, Instant moment) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
                        + " AND xact_start <= ?::timestamptz")) {
            query.setString(1, moment.toString());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    private static Instant now(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT clock_timestamp()")) {
            row.next();
            return row.getTimestamp(1).toInstant();
        }
    }

    @Test
    void noTransactionIsOpenWhileALeasedHandlerCalls(Stack stack) throws Exception {
        CountDownLatch transactional = new CountDownLatch(1);
        CountDownLatch leased = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Handler calls = handler("charge").on(Loan.TYPE, 1, Loan.class).call((event, call) -> {
            leased.countDown();
            goOn.await();
            return Outcome.done();
        });
        Handler writes = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            transactional.countDown();
            goOn.await();
        });
        try (Scene scene = Scene.open(stack, 1, "charge", "due-notice");
                Connection watcher = stack.postgres().connect(scene.database)) {
            scene.publish("charge", 0, TestMessage.of(new Loan("ada", 1)));
            scene.start(scene.builder(Catalogs.leased("charge"), calls).settings(SETTINGS));
            leased.await();
            Instant calling = now(watcher);
            soon().untilAsserted(() -> assertThat(openSince(watcher, calling))
                    .as("what was open when the call was made and is open still")
                    .isZero());
            soon().untilAsserted(() -> assertThat(
                            scene.dataSource.getHikariPoolMXBean().getActiveConnections())
                    .as("connections in hand")
                    .isZero());
            assertThat(scene.query("SELECT state || ' ' || attempt || ' ' || fence || ' ' || (lease_owner IS NOT NULL)"
                            + " || (lease_expires_at > clock_timestamp()) FROM inbox.delivery"))
                    .containsExactly("processing 1 1 truetrue");

            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 1)));
            scene.start(writes);
            transactional.await();
            assertThat(openSince(watcher, now(watcher)))
                    .as("a transactional handler's is seen like this")
                    .isPositive();
            goOn.countDown();
            soon().until(() -> scene.completed("charge").size() == 1);
            soon().until(() -> scene.attempts("charge", "completed") == 1);
        }
    }

    @Test
    void everyAttemptIsMadeWithTheSameKey(Stack stack) throws Exception {
        List<String> calls = new CopyOnWriteArrayList<>();
        try (Scene scene = Scene.open(stack, 1, "charge")) {
            TestMessage message = TestMessage.of(new Loan("ada", 1));
            scene.publish("charge", 0, message, TestMessage.of(new Loan("ada", 9)));
            start(scene, (event, call) -> {
                if (event.payload().n() == 9) {
                    return Outcome.dead("no-such-member", "the member left");
                }
                calls.add(call.idempotencyKey() + " " + call.delivery().attempt());
                if (calls.size() == 1) {
                    throw new IllegalStateException("no answer");
                }
                return calls.size() == 2 ? Outcome.retryAfter(Duration.ofMillis(100)) : Outcome.done();
            });
            soon().until(() ->
                    scene.inState("charge", "completed") == 1 && scene.inState("charge", "dead-letter") == 1);
            assertThat(calls).containsExactly(message.id() + " 1", message.id() + " 2", message.id() + " 3");
            assertThat(scene.query("SELECT attempt || ' ' || outcome || ' ' || coalesce(code, '-') FROM inbox.journal"
                            + " WHERE message_id = '" + message.id() + "' ORDER BY entry"))
                    .containsExactly("1 failed IllegalStateException", "2 failed retry-after", "3 completed -");
            assertThat(scene.query("SELECT code FROM inbox.delivery WHERE state = 'dead-letter'"))
                    .containsExactly("no-such-member");
            assertThat(scene.query("SELECT message_id FROM inbox.outgoing WHERE route = 'retry'"))
                    .isEmpty();
            soon().until(() -> scene.committed("charge", 0) != null && scene.committed("charge", 0) >= 2);
        }
    }

    @Test
    void laterMessagesOfAKeyWaitBehindACallThatIsMadeAgain(Stack stack) throws Exception {
        List<String> calls = new CopyOnWriteArrayList<>();
        Handler charges = handler("charge")
                .perKey(OnDeadLetter.BLOCK)
                .on(Loan.TYPE, 1, Loan.class)
                .call((event, call) -> {
                    calls.add(event.payload().member() + event.payload().n());
                    return event.payload().n() == 1 && call.delivery().attempt() == 1
                            ? Outcome.retryAfter(Duration.ofMillis(500))
                            : Outcome.done();
                });
        try (Scene scene = Scene.open(stack, 1, "charge")) {
            scene.publish(
                    "charge",
                    0,
                    TestMessage.of(new Loan("ada", 1)),
                    TestMessage.of(new Loan("ada", 2)),
                    TestMessage.of(new Loan("ada", 3)),
                    TestMessage.of(new Loan("bob", 4)));
            scene.start(scene.builder(Catalogs.perKey("charge", OnDeadLetter.BLOCK, DeliveryMode.LEASED), charges)
                    .settings(SETTINGS));
            soon().until(() -> scene.completed("charge").size() == 4);
            assertThat(calls).containsExactly("ada1", "bob4", "ada1", "ada2", "ada3");
            assertThat(scene.query("SELECT message_id FROM inbox.outgoing")).isEmpty();
        }
    }

    @Test
    void theHeartbeatRenewsTheLeaseOfALongCall(Stack stack) throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        try (Scene scene = Scene.open(stack, 1, "charge")) {
            scene.publish("charge", 0, TestMessage.of(new Loan("ada", 1)));
            start(scene, (event, call) -> {
                goOn.await();
                return Outcome.done();
            });
            soon().until(() -> scene.query(
                            "SELECT lease_expires_at > first_seen_at + interval '3 seconds'" + " FROM inbox.delivery")
                    .equals(List.of("t")));
            goOn.countDown();
            soon().until(() -> scene.completed("charge").size() == 1);
            assertThat(scene.query("SELECT attempt || ' ' || fence FROM inbox.delivery"))
                    .as("the first claim, for longer than its lease")
                    .containsExactly("1 1");
            assertThat(scene.attempts("charge", "stale")).isZero();
        }
    }

    @Test
    void aCallThatSaysThatItGoesOnIsNotGivenUp(Stack stack) throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (Scene scene = Scene.open(stack, 1, "charge")) {
            scene.publish("charge", 0, TestMessage.of(new Loan("ada", 1)));
            start(
                    scene,
                    (event, call) -> {
                        assertThatThrownBy(() -> call.extendLease(Duration.ofHours(2)))
                                .hasMessageContaining("to PT1H");
                        call.extendLease(Duration.ofSeconds(20));
                        assertThat(never.await(3, TimeUnit.SECONDS))
                                .as("longer than callMax")
                                .isFalse();
                        return Outcome.done();
                    },
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1));
            soon().until(() -> scene.completed("charge").size() == 1);
            assertThat(scene.query("SELECT attempt FROM inbox.delivery")).containsExactly("1");
        }
    }

    /** The record comes again, since its offset was not committed: nobody has to look for claims of dead processes. */
    @Test
    void aLiveClaimIsLeftAloneAndAnExpiredOneIsAFailedAttempt(Stack stack) throws Exception {
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        try (Scene scene = Scene.open(stack, 2, "charge")) {
            TestMessage claimed = TestMessage.of(new Loan("ada", 1));
            scene.execute("INSERT INTO inbox.delivery (handler, message_id, staged_at, state, attempt, lease_owner,"
                    + " lease_expires_at, fence, record_topic, record_partition, record_offset) VALUES ('charge', '"
                    + claimed.id() + "', '" + claimed.headers().get(MessageHeaders.STAGED_AT)
                    + "', 'processing', 1, 'a process that died', clock_timestamp() + interval '10 minutes', 7, '"
                    + scene.topic("charge") + "', 0, 0)");
            scene.publish("charge", 0, claimed);
            scene.publish("charge", 1, TestMessage.of(new Loan("bob", 2)));
            start(scene, (event, call) -> {
                if (event.payload().n() == 1) {
                    attempts.add(call.delivery().attempt());
                }
                return Outcome.done();
            });
            soon().until(() -> scene.inState("charge", "completed") == 1);
            assertThat(scene.query("SELECT attempt || lease_owner || (lease_expires_at > clock_timestamp())"
                            + " FROM inbox.delivery WHERE state = 'processing'"))
                    .as("another partition goes on while the live claim is left alone")
                    .containsExactly("1a process that diedtrue");
            scene.execute("UPDATE inbox.delivery SET lease_expires_at = clock_timestamp() WHERE state = 'processing'");
            soon().until(() -> scene.inState("charge", "completed") == 2);
            assertThat(attempts).containsExactly(2);
            assertThat(scene.query("SELECT fence FROM inbox.delivery WHERE message_id = '" + claimed.id() + "'"))
                    .as("one to count the attempt that was lost, one for the next")
                    .containsExactly("9");
            assertThat(scene.query("SELECT attempt || ' ' || outcome || ' ' || coalesce(code, '-') FROM inbox.journal"
                            + " ORDER BY entry"))
                    .containsExactly("1 failed lease-expired", "2 completed -");
        }
    }

    @ReportedCase(38)
    @Test
    void aHungCallIsNamedGivenUpAndMadeAgainAndItsLateCompletionIsRefused(Stack stack) throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        try (Scene scene = Scene.open(stack, 2, "charge")) {
            TestMessage hung = TestMessage.of(new Loan("ada", 1));
            scene.publish("charge", 0, hung, TestMessage.of(new Loan("ada", 2)));
            scene.publish("charge", 1, TestMessage.of(new Loan("bob", 3)));
            PosthasteConsumer consumer = start(
                    scene,
                    (event, call) -> {
                        if (event.payload().n() == 1) {
                            attempts.add(call.delivery().attempt());
                            if (call.delivery().attempt() == 1) {
                                awaitUninterruptibly(hangs);
                                assertThatThrownBy(() -> call.extendLease(Duration.ofSeconds(1)))
                                        .hasMessageContaining("is lost");
                            }
                        }
                        return Outcome.done();
                    },
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(2));
            soon().until(() -> scene.inState("charge", "completed") == 3);
            assertThat(attempts).containsExactly(1, 2);
            assertThat(scene.query("SELECT d.completed_at < j.at FROM inbox.delivery d, inbox.journal j"
                            + " WHERE d.record_topic = '" + scene.topic("charge") + "' AND d.record_partition = 1"
                            + " AND j.outcome = 'failed'"))
                    .as("another partition went on before the call was given up")
                    .containsExactly("t");
            assertThat(consumer.health().hung()).singleElement().satisfies(one -> {
                assertThat(one.messageId()).isEqualTo(hung.id());
                assertThat(one.topic() + one.partition() + one.offset()).isEqualTo(scene.topic("charge") + "00");
                assertThat(one.handler() + one.attempt() + one.givenUp()).isEqualTo("charge1true");
            });
            assertThat(scene.meters.get("posthaste.deliveries.hung").gauge().value())
                    .isEqualTo(1);
            assertThat(consumer.health().isReady()).isTrue();
            assertThat(scene.query("SELECT attempt || code FROM inbox.journal WHERE outcome = 'failed'"))
                    .containsExactly("1lease-expired");
            assertThat(scene.attempts("charge", "stale")).isZero();

            hangs.countDown();
            soon().until(() -> scene.attempts("charge", "stale") == 1);
            soon().until(() -> consumer.health().hung().isEmpty());
            assertThat(scene.query("SELECT attempt FROM inbox.delivery WHERE message_id = '" + hung.id() + "'"))
                    .containsExactly("2");
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean over = false;
        while (!over) {
            try {
                latch.await();
                over = true;
            } catch (InterruptedException e) {
                // a call that hangs does not listen
            }
        }
    }

    @ReportedCase(38)
    @Test
    void aHungTransactionIsNamedAndOthersContinue(Stack stack) throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        Handler writes = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            if (event.payload().n() == 1) {
                hangs.await();
            }
            Scene.write("due-notice", event, tx);
        });
        try (Scene scene = Scene.open(stack, 2, "due-notice")) {
            TestMessage hung = TestMessage.of(new Loan("ada", 1));
            scene.publish("due-notice", 0, hung);
            PosthasteConsumer consumer =
                    scene.start(scene.builder(writes).settings(SETTINGS.withHungAfter(Duration.ofMillis(500))));
            soon().until(() -> !consumer.health().hung().isEmpty());
            assertThat(consumer.health().hung()).singleElement().satisfies(one -> {
                assertThat(one.messageId()).isEqualTo(hung.id());
                assertThat(one.handler() + one.offset() + one.attempt() + one.givenUp())
                        .isEqualTo("due-notice01false");
            });
            scene.publish("due-notice", 1, TestMessage.of(new Loan("bob", 2)));
            soon().until(() -> scene.effects("due-notice").equals(List.of("2")));
            hangs.countDown();
            soon().until(() -> scene.effects("due-notice").equals(List.of("2", "1")));
            soon().until(() -> consumer.health().hung().isEmpty());
        }
    }

    @Test
    void whatCameOfACallIsWrittenOnceTheDatabaseIsBackAndTheCallIsNotMadeAgain(Stack stack) throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        try (Scene scene = Scene.open(stack, 1, "charge")) {
            scene.publish("charge", 0, TestMessage.of(new Loan("ada", 1)));
            PosthasteConsumer consumer = start(scene, (event, call) -> {
                attempts.add(call.delivery().attempt());
                called.countDown();
                goOn.await();
                return Outcome.done();
            });
            called.await();
            StoreOutageTest.takeAway(scene);
            soon().until(() -> !consumer.health().inboxAvailable());
            goOn.countDown();
            // Longer than the lease.
            await().during(Duration.ofSeconds(2)).atMost(Duration.ofSeconds(10)).until(() -> !consumer.health()
                    .inboxAvailable());
            StoreOutageTest.giveBack(scene);
            soon().until(() -> scene.completed("charge").size() == 1);
            assertThat(attempts).containsExactly(1);
            assertThat(scene.attempts("charge", "failed")).isZero();
            assertThat(scene.attempts("charge", "stale")).isZero();
        }
    }

    private static final class Worker {
        private final InboxStore inbox;
        private final Connection connection;

        Worker(String owner, Connection connection) throws SQLException {
            this.inbox = new PostgresInbox("charge", owner, "host", Duration.ofSeconds(5), 3);
            this.connection = connection;
            connection.setAutoCommit(false);
        }

        Verdict lease(DeliveryId id) throws SQLException {
            Verdict verdict = inbox.lease(
                    connection, new Arrival(id, 1, false, null, "library.charge", 0, 0), Duration.ofSeconds(30));
            connection.commit();
            return verdict;
        }

        List<LeasedDelivery> leaseAll(List<DeliveryId> ids) throws SQLException {
            List<LeasedDelivery> leased = new ArrayList<>();
            for (DeliveryId id : ids) {
                if (lease(id) instanceof Verdict.Leased one) {
                    leased.add(new LeasedDelivery(id, one.lease()));
                }
            }
            return leased;
        }

        boolean complete(LeasedDelivery held) throws SQLException {
            boolean completed = inbox.complete(connection, held, 1);
            connection.commit();
            return completed;
        }

        List<LeasedDelivery> renew(List<LeasedDelivery> held) throws SQLException {
            List<LeasedDelivery> lost = inbox.renew(connection, held, Duration.ofSeconds(60));
            connection.commit();
            return lost;
        }
    }

    @Test
    void twoWorkersLeaseDisjointRows(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "charge");
                Connection first = stack.postgres().connect(scene.database);
                Connection second = stack.postgres().connect(scene.database)) {
            List<DeliveryId> ids = IntStream.range(0, 200)
                    .mapToObj(n -> new DeliveryId("", UUID.randomUUID(), Instant.now()))
                    .toList();
            List<DeliveryId> backwards = new ArrayList<>(ids);
            Collections.reverse(backwards);
            Worker one = new Worker("one", first);
            Worker two = new Worker("two", second);
            CompletableFuture<List<LeasedDelivery>> ofTwo = CompletableFuture.supplyAsync(() -> {
                try {
                    return two.leaseAll(backwards);
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            List<LeasedDelivery> ofOne = one.leaseAll(ids);
            assertThat(ofOne)
                    .extracting(LeasedDelivery::id)
                    .doesNotContainAnyElementsOf(
                            ofTwo.get().stream().map(LeasedDelivery::id).toList());
            assertThat(ofOne.size() + ofTwo.get().size()).isEqualTo(ids.size());
            assertThat(List.of(ofOne.size(), ofTwo.get().size()))
                    .as("both had some")
                    .doesNotContain(0);
        }
    }

    @Test
    void anExpiredLeaseIsTakenOverUnderAHigherFenceAndTheOldHolderIsRefused(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "charge");
                Connection first = stack.postgres().connect(scene.database);
                Connection second = stack.postgres().connect(scene.database);
                Connection third = stack.postgres().connect(scene.database)) {
            Worker one = new Worker("one", first);
            Worker two = new Worker("two", second);
            List<DeliveryId> ids = IntStream.range(0, 3)
                    .mapToObj(n -> new DeliveryId("", UUID.randomUUID(), Instant.now()))
                    .toList();
            List<LeasedDelivery> held = one.leaseAll(ids);
            assertThat(two.lease(ids.get(0)))
                    .isInstanceOfSatisfying(
                            Verdict.Busy.class, busy -> assertThat(busy.owner()).isEqualTo("one"));

            scene.execute("UPDATE inbox.delivery SET lease_expires_at = clock_timestamp() - interval '1 second'"
                    + " WHERE message_id = '" + ids.get(0).messageId() + "'");
            Verdict.Leased taken = (Verdict.Leased) two.lease(ids.get(0));
            assertThat(taken.expired()).isTrue();
            assertThat(taken.lease().fence()).isGreaterThan(held.get(0).lease().fence());
            assertThat(one.complete(held.get(0))).isFalse();

            third.setAutoCommit(false);
            try (Statement lock = third.createStatement()) {
                lock.execute("SELECT FROM inbox.delivery WHERE message_id = '"
                        + ids.get(1).messageId() + "' FOR UPDATE");
            }
            assertThat(one.renew(held))
                    .as("lost, and not the one that somebody has locked")
                    .containsExactly(held.get(0));
            assertThat(scene.query("SELECT message_id FROM inbox.delivery"
                            + " WHERE lease_expires_at > clock_timestamp() + interval '40 seconds'"))
                    .containsExactly(ids.get(2).messageId().toString());
            third.rollback();
            assertThat(one.complete(held.get(1))).isTrue();
            assertThat(one.complete(held.get(1)))
                    .as("the answer to the first was lost")
                    .isTrue();
            assertThat(two.complete(new LeasedDelivery(ids.get(0), taken.lease())))
                    .isTrue();
            assertThat(two.lease(ids.get(1))).isEqualTo(new Verdict.Skip(true));
        }
    }
}

package dev.posthaste.consumer;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.schemas.MessageKind;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class DeliveryTest {

    private static List<TestMessage> loans(String member, int from, int to) {
        return IntStream.rangeClosed(from, to)
                .mapToObj(n -> TestMessage.of(new Loan(member, n)))
                .toList();
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    @Test
    void everyMessageHasItsEffectOnceAndInOrder(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 2, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 120));
            scene.start(Scene.writing("due-notice"));
            scene.publish("due-notice", 0, loans("ada", 121, 130));

            soon().until(() -> scene.effects("due-notice").size() >= 130);
            assertThat(scene.effects("due-notice"))
                    .isEqualTo(IntStream.rangeClosed(1, 130)
                            .mapToObj(String::valueOf)
                            .toList());
            assertThat(scene.completed("due-notice")).hasSize(130);
            assertThat(scene.attempts("due-notice", "completed")).isEqualTo(130);
            assertThat(scene.meters.get("posthaste.delivery.duration").timer().count())
                    .isEqualTo(130);
        }
    }

    @Test
    void orderPerKeyIsKeptAcrossPartitionsThatRunAtTheSameTime(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 4, "due-notice")) {
            for (int round = 0; round < 10; round++) {
                for (int partition = 0; partition < 4; partition++) {
                    scene.publish(
                            "due-notice", partition, loans("member-" + partition, round * 20 + 1, round * 20 + 20));
                }
            }
            scene.start(Scene.writing("due-notice"));

            soon().until(() -> scene.effects("due-notice").size() >= 800);
            assertThat(scene.query(
                            "SELECT count(*) FROM (SELECT n, lag(n) OVER (PARTITION BY key ORDER BY seq) AS before FROM effect) e"
                                    + " WHERE n <> coalesce(before, 0) + 1"))
                    .as("out of order, missing or doubled")
                    .containsExactly("0");
        }
    }

    @ReportedCase(26)
    @Test
    void aRedeliveredMessageIsSkippedAloneAndInsideAPoll(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            TestMessage first = TestMessage.of(new Loan("ada", 1));
            TestMessage second = TestMessage.of(new Loan("ada", 2));
            scene.publish("due-notice", 0, first, first, second, first);
            scene.start(Scene.writing("due-notice"));
            soon().until(() -> scene.effects("due-notice").size() >= 2);
            scene.publish("due-notice", 0, second);
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 3)));

            soon().until(() -> scene.effects("due-notice").contains("3"));
            assertThat(scene.effects("due-notice")).containsExactly("1", "2", "3");
            assertThat(scene.attempts("due-notice", "duplicate")).isEqualTo(3);
            assertThat(scene.query("SELECT record_offset FROM inbox.delivery ORDER BY record_offset LIMIT 1"))
                    .as("the first of several counts")
                    .containsExactly("0");
        }
    }

    @Test
    void aMarkerOfAQuarantinedMessageIsPassedByAndCounted(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            TestMessage marker = TestMessage.of(new Loan("ada", 2))
                    .with(MessageHeaders.QUARANTINED, "true")
                    .withValue(null);
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 1)), marker, marker);
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 3)));
            scene.start(Scene.writing("due-notice"));

            soon().until(() -> scene.effects("due-notice").contains("3"));
            assertThat(scene.effects("due-notice")).containsExactly("1", "3");
            assertThat(scene.attempts("due-notice", "quarantined")).isEqualTo(2);
        }
    }

    @ReportedCase(28)
    @Test
    void twoHandlersInOneDatabaseBothRunOneMessage(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice", "statistics")) {
            TestMessage message = TestMessage.of(new Loan("ada", 1));
            scene.publish("due-notice", 0, message);
            scene.publish("statistics", 0, message);
            scene.start(Scene.writing("due-notice"), Scene.writing("statistics"));

            soon().until(() -> scene.effects("due-notice").size() == 1
                    && scene.effects("statistics").size() == 1);
            assertThat(scene.query(
                            "SELECT handler FROM inbox.delivery WHERE message_id = '" + message.id() + "' ORDER BY 1"))
                    .containsExactly("due-notice", "statistics");
        }
    }

    @Test
    void tenantsAreDeduplicatedEachForItself(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            TestMessage message = TestMessage.of(new Loan("ada", 1));
            scene.publish(
                    "due-notice",
                    0,
                    message.with(MessageHeaders.TENANT, "north"),
                    message.with(MessageHeaders.TENANT, "south"),
                    message.with(MessageHeaders.TENANT, "north"));
            scene.start(Scene.writing("due-notice"));

            soon().until(() -> scene.attempts("due-notice", "duplicate") == 1);
            assertThat(scene.query("SELECT tenant FROM effect ORDER BY seq")).containsExactly("north", "south");
        }
    }

    @Test
    void anAbortedKafkaTransactionIsNotSeen(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publishAndAbort("due-notice", 0, TestMessage.of(new Loan("ada", 666)));
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 1)));
            scene.start(Scene.writing("due-notice"));

            soon().until(() -> scene.effects("due-notice").contains("1"));
            assertThat(scene.effects("due-notice")).containsExactly("1");
        }
    }

    @Test
    void theEventTellsWhatTheHeadersSay(Stack stack) throws Exception {
        BlockingQueue<Event<Loan>> events = new LinkedBlockingQueue<>();
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            TestMessage message = TestMessage.of(new Loan("ada", 1))
                    .with(MessageHeaders.TENANT, "north")
                    .with(MessageHeaders.STAGED_AT, "2026-02-03T04:05:06.123456Z")
                    .with(MessageHeaders.TRACEPARENT, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                    .with("branch", "Zürich");
            scene.publish("due-notice", 0, message);
            scene.start(handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> events.add(event)));

            assertThat(events.poll(30, TimeUnit.SECONDS))
                    .isEqualTo(new Event<>(
                            message.id(),
                            MessageKind.INTEGRATION_EVENT,
                            Loan.TYPE,
                            1,
                            "ada",
                            "north",
                            Instant.parse("2026-01-02T03:04:05.123456Z"),
                            Instant.parse("2026-02-03T04:05:06.123456Z"),
                            Map.of(
                                    "traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                    "branch", "Zürich"),
                            new Loan("ada", 1)));
            soon().until(() -> scene.query("SELECT staged_at AT TIME ZONE 'UTC' FROM inbox.delivery")
                    .equals(List.of("2026-02-03 04:05:06.123456")));
        }
    }

    private record OldLoan(String borrower) {}

    private record Returned(String copy) {}

    @Test
    void aHandlerReadsSeveralTypesAndVersionsEachInItsOwnClass(Stack stack) throws Exception {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        Handler several = handler("several")
                .on(Loan.TYPE, 2, Loan.class)
                .on(Loan.TYPE, 1, OldLoan.class, old -> new Loan(old.borrower(), 0))
                .handle((event, tx) -> seen.add(event.schemaVersion() + " " + event.payload()))
                .on("library.loan-returned", 1, Returned.class)
                .handle((event, tx) -> seen.add(event.payload().copy()))
                .on("library.scanned", 1, bytes -> new String(bytes, StandardCharsets.ISO_8859_1))
                .handle((event, tx) -> seen.add(event.payload()));
        Catalog catalog = Catalogs.of(
                List.of(
                        Catalogs.event(Loan.TYPE, 2),
                        Catalogs.event("library.loan-returned", 1),
                        Catalogs.event("library.scanned", 1)),
                List.of(Catalogs.handler(
                        "several",
                        Map.of(
                                Loan.TYPE,
                                Set.of(1, 2),
                                "library.loan-returned",
                                Set.of(1),
                                "library.scanned",
                                Set.of(1)))));
        try (Scene scene = Scene.open(stack, 1, "several")) {
            scene.publish(
                    "several",
                    0,
                    TestMessage.of(Loan.TYPE, 1, "k", "{\"borrower\":\"bob\"}"),
                    TestMessage.of(Loan.TYPE, 2, "k", new Loan("ada", 7).json()),
                    TestMessage.of("library.loan-returned", 1, "k", "{\"copy\":\"c1\"}"),
                    TestMessage.of("library.scanned", 1, "k", "")
                            .with(MessageHeaders.CONTENT_TYPE, "application/octet-stream")
                            .withValue(new byte[] {(byte) 0xE9}));
            scene.start(scene.builder(catalog, several));

            soon().until(() -> seen.size() == 4);
            assertThat(seen).containsExactly("1 Loan[member=bob, n=0]", "2 Loan[member=ada, n=7]", "c1", "é");
        }
    }

    @ReportedCase(26)
    @Test
    void theLagComesDownToZero(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 3));
            scene.publish("due-notice", 0, loans("ada", 4, 6));
            scene.publishAndAbort("due-notice", 0, TestMessage.of(new Loan("ada", 666)));
            scene.start(Scene.writing("due-notice"));

            // 6 records, an aborted one, and 3 markers of Kafka's transactions
            soon().until(() -> Long.valueOf(10).equals(scene.committed("due-notice", 0)));
            assertThat(scene.effects("due-notice")).hasSize(6);
        }
    }
}

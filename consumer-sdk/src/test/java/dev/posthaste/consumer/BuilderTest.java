package dev.posthaste.consumer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.DeliveryMode;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What is refused before anything runs. */
class BuilderTest {

    private static final Handler READS_ONE = Scene.writing("due-notice");

    private static PosthasteConsumer.Builder builder(Catalog catalog) {
        return PosthasteConsumer.builder()
                .namespace("library")
                .bootstrapServers("localhost:1")
                .dataSource(new PGSimpleDataSource())
                .catalog(catalog)
                .meters(new SimpleMeterRegistry());
    }

    @Test
    void aHandlerWithoutACatalogRecordIsRefused() {
        assertThatThrownBy(() -> builder(Catalogs.ofLoans("statistics"))
                        .handler(READS_ONE)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("due-notice has no record")
                .hasMessageContaining("handlers/due-notice.yaml");
    }

    @Test
    void aHandlerThatReadsOtherThanItsRecordIsRefusedNamingBoth() {
        Catalog two = Catalogs.of(
                List.of(Catalogs.event(Loan.TYPE, 2)),
                List.of(Catalogs.handler("due-notice", Map.of(Loan.TYPE, Set.of(1, 2)))));
        assertThatThrownBy(() -> builder(two).handler(READS_ONE).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("reads [" + Loan.TYPE + " v1] in code")
                .hasMessageContaining("subscribes to [" + Loan.TYPE + " v1, " + Loan.TYPE + " v2]");
        Handler more = READS_ONE.on("library.other", 1, Loan.class).handle((event, tx) -> {});
        assertThatThrownBy(() ->
                        builder(Catalogs.ofLoans("due-notice")).handler(more).build())
                .hasMessageContaining("library.other v1");
    }

    @Test
    void aConcurrencyBeyondWhatMayRunAtATimeIsRefusedNamingBoth() {
        assertThatThrownBy(() -> READS_ONE.concurrency(0)).hasMessage("concurrency is 0, but must be from 1 to 64");
        assertThatThrownBy(() -> READS_ONE.concurrency(65)).hasMessageContaining("concurrency is 65");
        assertThatThrownBy(() -> builder(Catalogs.ofLoans("due-notice"))
                        .settings(ConsumerSettings.defaults().withLanesMax(16))
                        .handler(READS_ONE.concurrency(32))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("due-notice has concurrency 32 and lanesMax is 16")
                .hasMessageContaining("at most 256");
    }

    @Test
    void aModeThatIsNotTheRecordsIsRefusedNamingBoth() {
        Handler calls = handler("due-notice").on(Loan.TYPE, 1, Loan.class).call((event, call) -> Outcome.done());
        assertThatThrownBy(() -> builder(Catalogs.leased("due-notice"))
                        .handler(READS_ONE)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("due-notice is LEASED in handlers/due-notice.yaml")
                .hasMessageContaining("has a function on a transaction for " + Loan.TYPE + " v1 in code");
        assertThatThrownBy(() ->
                        builder(Catalogs.ofLoans("due-notice")).handler(calls).build())
                .hasMessageContaining("due-notice is TRANSACTIONAL in handlers/due-notice.yaml")
                .hasMessageContaining("has call(...) for " + Loan.TYPE + " v1 in code");
        assertThatThrownBy(() -> builder(Catalogs.ofLoans("due-notice"))
                        .handler(READS_ONE.lease(Duration.ofSeconds(20)))
                        .build())
                .hasMessageContaining("lease(PT20S)")
                .hasMessageContaining("is TRANSACTIONAL in handlers/due-notice.yaml");
    }

    @Test
    void leasesThatDoNotFitAreRefusedNamingBoth() {
        Handler calls = handler("due-notice").on(Loan.TYPE, 1, Loan.class).call((event, call) -> Outcome.done());
        assertThatThrownBy(() -> calls.lease(Duration.ofMillis(999)))
                .hasMessageContaining("lease is PT0.999S, but must be from PT1S to PT1H");
        assertThatThrownBy(() -> calls.callMax(Duration.ofHours(25))).hasMessageContaining("to PT24H");
        assertThatThrownBy(() -> builder(Catalogs.leased("due-notice"))
                        .handler(calls.lease(Duration.ofSeconds(10)))
                        .build())
                .hasMessageContaining("lease(PT10S), but lockTimeout is PT10S");
        assertThatThrownBy(() -> builder(Catalogs.leased("due-notice"))
                        .handler(calls.lease(Duration.ofMinutes(6)))
                        .build())
                .hasMessageContaining("callMax(PT5M), shorter than its lease of PT6M");
    }

    @Test
    void aCommandThatGoesThroughNoBusIsRefused() {
        assertThatThrownBy(() -> builder(Catalogs.command("due-notice", DeliveryMode.TRANSACTIONAL))
                        .handler(READS_ONE)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Loan.TYPE + " v1, a journey-step-command")
                .hasMessageContaining("through(bus)");
    }

    @Test
    void theSameVersionOrTheSameHandlerTwiceIsRefused() {
        Handler twice = READS_ONE.on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {});
        assertThatThrownBy(() ->
                        builder(Catalogs.ofLoans("due-notice")).handler(twice).build())
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> builder(Catalogs.ofLoans("due-notice"))
                        .handler(READS_ONE)
                        .handler(READS_ONE)
                        .build())
                .hasMessageContaining("due-notice is there twice");
        assertThatThrownBy(() -> handler("x").on("t", 0, Loan.class).handle((event, tx) -> {}))
                .hasMessageContaining("versions begin with 1");
    }

    @Test
    void whatIsMissingIsNamed() {
        assertThatThrownBy(() -> PosthasteConsumer.builder().build()).hasMessageContaining("handler");
        assertThatThrownBy(() -> PosthasteConsumer.builder().handler(READS_ONE).build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("catalog is missing");
        assertThatThrownBy(() -> PosthasteConsumer.builder()
                        .handler(READS_ONE)
                        .catalog(Catalogs.ofLoans("due-notice"))
                        .build())
                .hasMessageContaining("namespace is missing");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "isolation.level=read_uncommitted",
                "interceptor.classes=dev.posthaste.consumer.BuilderTest",
                "linger.ms=6000",
                "retries=0",
                "transactional.id=mine",
                "buffer.memory=1000",
                "partitioner.ignore.keys=true",
                "max.request.size=10"
            })
    void kafkaSettingsOnWhichThePromisesRestAreRefusedWithTheirValueAndThePromise(String setting) {
        String[] parts = setting.split("=", 2);
        assertThatThrownBy(
                        () -> PosthasteConsumer.builder().kafka(Map.of(parts[0], parts[1], "security.protocol", "SSL")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("kafka(...) has " + setting + " (")
                .hasMessageContaining("the SDK sets these itself")
                .hasMessageNotContaining("security.protocol");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fetch.max.bytes=many", // a consumer's
                "batch.size=-5", // a producer's
                "compression.type=lzma",
                "ssl.truststore.location=/nowhere/trust.p12",
                "metric.reporters=no.such.Reporter"
            })
    void whatKafkaWouldRefuseLaterIsRefusedAtOnce(String setting) {
        String[] parts = setting.split("=", 2);
        assertThatThrownBy(() -> builder(Catalogs.ofLoans("due-notice"))
                        .handler(READS_ONE)
                        .kafka(Map.of(parts[0], parts[1], "security.protocol", "SSL"))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Kafka refuses the settings [")
                .hasMessageContaining(parts[0])
                .hasMessageContaining(parts[1]);
    }

    @Test
    void aKafkaThatCannotBeFoundYetIsNoReasonToRefuseButAnAddressWithoutAPortIs() {
        builder(Catalogs.ofLoans("due-notice"))
                .handler(READS_ONE)
                .bootstrapServers("kafka-1.invalid:9092, kafka-2.invalid:9092")
                .build()
                .close();
        assertThatThrownBy(() -> builder(Catalogs.ofLoans("due-notice"))
                        .handler(READS_ONE)
                        .bootstrapServers("kafka-1:9092,kafka-2")
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"kafka-2\" is no address; write host:port");
    }

    @Test
    void credentialsThatNeedAnotherServerAreNotAskedForAtStart() {
        builder(Catalogs.ofLoans("due-notice"))
                .handler(READS_ONE)
                .kafka(Map.of("security.protocol", "SASL_SSL", "sasl.mechanism", "OAUTHBEARER"))
                .build()
                .close();
    }

    @Test
    void aRetryPolicyThatIsWiderThanTheRecordsInAnythingIsRefusedNamingBoth() {
        RetryPolicy record =
                new RetryPolicy(3, Duration.ofMillis(200), Duration.ofSeconds(1), Duration.ofMinutes(10)); // Catalogs'
        for (RetryPolicy wider : List.of(
                new RetryPolicy(4, record.first(), record.max(), record.horizon()),
                new RetryPolicy(3, Duration.ofMillis(201), record.max(), record.horizon()),
                new RetryPolicy(3, record.first(), Duration.ofMillis(1001), record.horizon()),
                new RetryPolicy(3, record.first(), record.max(), Duration.ofMinutes(11)))) {
            assertThatThrownBy(() -> builder(Catalogs.ofLoans("due-notice"))
                            .handler(READS_ONE.retry(wider))
                            .build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(wider + " in code")
                    .hasMessageContaining(record + " in handlers/due-notice.yaml");
        }
    }

    @Test
    void settingsAreCheckedNotRepaired() {
        ConsumerSettings defaults = ConsumerSettings.defaults();
        assertThatThrownBy(() -> defaults.withChunkMax(0)).hasMessage("chunkMax is 0, but must be from 1 to 500");
        assertThatThrownBy(() -> defaults.withLanesMax(65)).hasMessageContaining("lanesMax is 65");
        assertThatThrownBy(() -> defaults.withSessionTimeout(Duration.ofSeconds(5)))
                .hasMessage("sessionTimeout is PT5S, but must be from PT6S to PT5M");
        assertThatThrownBy(() -> defaults.withContentionRetriesMax(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}

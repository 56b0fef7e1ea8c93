package dev.posthaste.consumer.internal;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

import dev.posthaste.consumer.BreakerSettings;
import dev.posthaste.consumer.OpenBreaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class BreakerTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final TopicPartition ONE = new TopicPartition("t", 1);
    private static final TopicPartition TWO = new TopicPartition("t", 2);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(8);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // it wraps
    private final Breaker breaker = new Breaker(
            "due-notice",
            new BreakerSettings(3, PAUSE_MAX),
            Duration.ofMinutes(10),
            nanos::get,
            Clock.fixed(NOW, ZoneOffset.UTC));

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void failed(String code) {
        breaker.failed(UUID.randomUUID(), code);
    }

    private void open() {
        failed("SocketException");
        failed("SocketException");
        failed("SocketException");
        assertThat(breaker.isOpen()).isTrue();
    }

    /** Takes the probe that is due, no other partition having wanted it, and lets it fail. */
    private Breaker.Probed probeFails(TopicPartition partition) {
        pass(PAUSE_MAX.plusMillis(200));
        assertThat(breaker.permit(partition)).isEqualTo(Breaker.Permit.PROBE);
        Breaker.Probed probed = breaker.probeFailed(UUID.randomUUID());
        breaker.probeEnded();
        return probed;
    }

    @Test
    void manyDifferentMessagesThatFailAlikeInARowOpenIt() {
        failed("SocketException");
        failed("SocketException");
        assertThat(breaker.permit(ONE)).isEqualTo(Breaker.Permit.FREE);
        failed("SocketException");
        assertThat(breaker.open()).contains(new OpenBreaker("SocketException", NOW, 3));
        assertThat(breaker.permit(ONE)).isEqualTo(Breaker.Permit.NONE);
    }

    @Test
    void oneMessageThatFailsAgainAndAgainIsPoison() {
        UUID poison = UUID.randomUUID();
        for (int i = 0; i < 100; i++) {
            breaker.failed(poison, "SocketException");
        }
        assertThat(breaker.isOpen()).isFalse();
    }

    @Test
    void messagesThatFailInDifferentWaysArePoison() {
        for (int i = 0; i < 100; i++) {
            failed("SocketException");
            failed("SocketException");
            failed("ParseException");
        }
        assertThat(breaker.isOpen()).isFalse();
    }

    @Test
    void aSuccessBetweenThemMeansThatThereIsNoOutage() {
        for (int i = 0; i < 100; i++) {
            failed("SocketException");
            failed("SocketException");
            breaker.succeeded(1);
        }
        assertThat(breaker.isOpen()).isFalse();
    }

    @Test
    void oneProbesAfterAPauseAndNobodyElseMeanwhile() {
        open();
        pass(PAUSE_MAX);
        assertThat(breaker.permit(ONE)).isEqualTo(Breaker.Permit.PROBE);
        pass(PAUSE_MAX);
        assertThat(breaker.permit(ONE)).isEqualTo(Breaker.Permit.NONE);
        assertThat(breaker.permit(TWO)).isEqualTo(Breaker.Permit.NONE);
        breaker.succeeded(1);
        breaker.probeEnded();
        assertThat(breaker.permit(TWO)).isEqualTo(Breaker.Permit.FREE);
        assertThat(breaker.open()).isEmpty();
    }

    @Test
    void aRecordWhoseProbeFailedMakesWayAndAnotherPartitionIsAskedFirst() {
        open();
        for (int i = 0; i < 20; i++) {
            assertThat(probeFails(ONE)).isEqualTo(Breaker.Probed.SET_ASIDE);
        }
        assertThat(breaker.permit(ONE)).isEqualTo(Breaker.Permit.NONE);
        pass(PAUSE_MAX);
        assertThat(breaker.permit(TWO)).isEqualTo(Breaker.Permit.PROBE);
    }

    @Test
    void everyPartitionHasItsTurn() {
        TopicPartition three = new TopicPartition("t", 3);
        open();
        for (TopicPartition partition : List.of(ONE, TWO, three)) {
            pass(PAUSE_MAX);
            assertThat(breaker.permit(partition)).isEqualTo(Breaker.Permit.PROBE);
            breaker.probeFailed(UUID.randomUUID());
            breaker.probeEnded();
            pass(Duration.ofMillis(1)); // less than those wait that have had theirs
        }
        probeFails(ONE);
        pass(PAUSE_MAX);
        assertThat(breaker.permit(three)).isEqualTo(Breaker.Permit.PROBE);
    }

    /** Each pause but the random ones passes at once. */
    @Test
    void sixtyRecordsOfPoisonArePassedInAMinuteAndAThousandInAnHour() {
        Breaker patient = new Breaker(
                "due-notice",
                new BreakerSettings(3, Duration.ofSeconds(30)),
                Duration.ofDays(1),
                nanos::get,
                Clock.fixed(NOW, ZoneOffset.UTC));
        for (int i = 0; i < 3; i++) {
            patient.failed(UUID.randomUUID(), "SocketException");
        }
        long began = nanos.get();
        for (int probe = 1; probe <= Breaker.SET_ASIDE_MAX; probe++) {
            while (patient.permit(ONE) != Breaker.Permit.PROBE) {
                pass(Duration.ofMillis(10));
            }
            assertThat(patient.probeFailed(UUID.randomUUID())).isEqualTo(Breaker.Probed.SET_ASIDE);
            patient.probeEnded();
            if (probe == 60) {
                assertThat(nanos.get() - began)
                        .isLessThan(Duration.ofMinutes(1).plusSeconds(15).toNanos());
            }
        }
        assertThat(nanos.get() - began)
                .isBetween(
                        Duration.ofMinutes(30).toNanos(), Duration.ofMinutes(75).toNanos());
        assertThat(patient.probeFailed(UUID.randomUUID()))
                .as("so many may be set aside")
                .isEqualTo(Breaker.Probed.STAYS);
    }

    @Test
    void poisonThatComesBackAfterManySuccessesOpensItNoMore() {
        List<UUID> poison = Stream.generate(UUID::randomUUID).limit(20).toList();
        poison.forEach(id -> breaker.failed(id, "SocketException"));
        assertThat(breaker.isOpen()).isTrue();
        breaker.succeeded(1);
        poison.forEach(id -> breaker.failed(id, "SocketException"));
        assertThat(breaker.isOpen())
                .as("one success may be an outage that begins anew")
                .isTrue();
        breaker.succeeded(2);
        poison.forEach(id -> breaker.failed(id, "SocketException"));
        assertThat(breaker.isOpen()).isFalse();
        open();
    }

    @Test
    void aProbeThatToldNothingIsFollowedByAnotherAtOnce() {
        open();
        pass(PAUSE_MAX);
        assertThat(breaker.permit(ONE)).isEqualTo(Breaker.Permit.PROBE);
        breaker.probeEnded();
        assertThat(breaker.permit(TWO)).isEqualTo(Breaker.Permit.PROBE);
    }

    @Test
    void failuresOfWhatHadBegunBeforeItOpenedChangeNothing() {
        open();
        OpenBreaker before = breaker.open().orElseThrow();
        failed("ParseException");
        assertThat(breaker.open()).contains(before);
        breaker.succeeded(1);
        failed("SocketException");
        failed("SocketException");
        assertThat(breaker.isOpen()).as("counted anew").isFalse();
    }

    @Test
    void afterAsLongAsTheRetryHorizonProbesCountAsAttemptsSoThatARunOfPoisonIsWorkedOff() {
        open();
        assertThat(probeFails(ONE)).isEqualTo(Breaker.Probed.SET_ASIDE);
        pass(Duration.ofMinutes(10));
        assertThat(probeFails(ONE)).isEqualTo(Breaker.Probed.COUNTS);
        assertThat(breaker.isOpen()).isTrue();
    }

    @Test
    void aWaitingRetryIsWantedWhereNobodyHasARecordToProbeWith() {
        assertThat(breaker.wantsRecord()).isFalse();
        open();
        assertThat(breaker.wantsRecord()).isFalse();
        pass(PAUSE_MAX.plusSeconds(2));
        assertThat(breaker.wantsRecord()).isTrue();
        assertThat(breaker.wantsRecord()).as("one at a time").isFalse();
        pass(Duration.ofSeconds(2));
        assertThat(breaker.wantsRecord()).isTrue();
        assertThat(breaker.permit(ONE)).isEqualTo(Breaker.Permit.PROBE);
        pass(Duration.ofSeconds(2));
        assertThat(breaker.wantsRecord()).as("somebody has one").isFalse();
    }

    @Test
    void settingsAreCheckedNotRepaired() {
        assertThatThrownBy(() -> new BreakerSettings(1, PAUSE_MAX))
                .hasMessageContaining("breaker.messages is 1, but must be from 2 to 100000");
        assertThatThrownBy(() -> new BreakerSettings(10, Duration.ofMillis(99)))
                .hasMessage("breaker.pauseMax is PT0.099S, but must be from PT0.1S to PT1H");
    }
}

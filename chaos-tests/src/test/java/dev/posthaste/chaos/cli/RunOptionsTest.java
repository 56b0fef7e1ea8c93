package dev.posthaste.chaos.cli;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.posthaste.chaos.scenario.Scale;
import dev.posthaste.chaos.scenario.Scenario;

import static org.assertj.core.api.Assertions.assertThat;

class RunOptionsTest {

    private static RunOptions named(boolean full, @Nullable Integer minutes) {
        return new RunOptions(List.of("broker-killed"), false, false, false, full, 7, minutes);
    }

    private static RunOptions soak(@Nullable Integer minutes) {
        return new RunOptions(List.of(), false, false, true, false, 7, minutes);
    }

    @Test
    void theCommandIsToldInFull() {
        assertThat(named(true, 3).command())
                .isEqualTo("./posthaste chaos run broker-killed --full --minutes 3 --seed 7");
        assertThat(soak(null).command()).isEqualTo("./posthaste chaos run --soak --seed 7");
    }

    @Test
    void fullWithAllSaysTheSameTwiceAndIsAllowed() {
        RunOptions all = new RunOptions(List.of(), true, false, false, true, 7, null);

        assertThat(all.scale()).isEqualTo(Scale.nightly());
        assertThat(Catalogue.chosen(all)).hasSameSizeAs(Catalogue.all());
    }

    @Test
    void minutesAreHowLongWhatIsRandomGoesOn() {
        assertThat(named(false, 3).scale()).isEqualTo(Scale.quick().withRandom(Duration.ofMinutes(3)));
        assertThat(named(true, 3).ofRepeat()).isEqualTo(" --full --minutes 3");
    }

    @Test
    void minutesOfASoakAreThoseOfTheWholeAndNoneOfTheRunThatIsRepeated() {
        assertThat(soak(3).soakTime()).isEqualTo(Duration.ofMinutes(3));
        assertThat(soak(null).soakTime()).isEqualTo(Duration.ofHours(1));
        assertThat(soak(3).scale()).isEqualTo(Scale.quick());
        assertThat(soak(3).ofRepeat()).isEmpty();
    }

    @Test
    void theShortTierIsChosenByItself() {
        assertThat(Catalogue.chosen(new RunOptions(List.of(), false, true, false, false, 7, null)))
                .isNotEmpty()
                .allMatch(scenario -> scenario.tier() == Scenario.Tier.SHORT);
    }
}

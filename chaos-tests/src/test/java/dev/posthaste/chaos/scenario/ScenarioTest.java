package dev.posthaste.chaos.scenario;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ScenarioTest {

    @ParameterizedTest
    @ValueSource(strings = {"relay", "relay-killed-2-times", "relay-killed+broker-killed"})
    void aNameIsInKebabCaseAndThatOfAPairHasAPlus(String name) {
        assertThat(scenario(name).name()).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "Relay", "relay killed", "relay--killed", "-relay", "relay-", "../relay", "a+b+c", "a+"})
    void anyOtherNameIsRefusedWithTheRule(String name) {
        assertThatThrownBy(() -> scenario(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + name + "'")
                .hasMessageContaining("kebab case");
    }

    private static Scenario scenario(String name) {
        return Scenario.of(name, "nothing goes wrong", chaos -> {});
    }
}

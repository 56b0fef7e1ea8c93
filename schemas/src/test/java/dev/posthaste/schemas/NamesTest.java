package dev.posthaste.schemas;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Namespaces, kinds and durations: what people write. */
class NamesTest {

    @Test
    void aNamespaceNamesItsTopics() {
        Namespace namespace = new Namespace("library.eu-1");

        assertThat(namespace.topic("due-notice")).isEqualTo("library.eu-1.due-notice");
        assertThat(namespace.retryTopic("due-notice")).isEqualTo("library.eu-1.due-notice.retry");
        assertThat(namespace.deadLetterTopic("due-notice")).isEqualTo("library.eu-1.due-notice.dlt");
        assertThat(namespace.positionTopic()).isEqualTo("library.eu-1.relay.position");
        assertThat(namespace).hasToString("library.eu-1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Library",
                "lib rary",
                "lib_rary",
                ".library",
                "library.",
                "a..b",
                "länder",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
            })
    void aNamespaceThatTopicsCannotCarryIsRefused(String name) {
        assertThatThrownBy(() -> new Namespace(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("namespace is \"" + name + "\", but must match ")
                .hasMessageEndingWith("at most 60 characters");
    }

    @ParameterizedTest
    @EnumSource(MessageKind.class)
    void aKindIsFoundByItsName(MessageKind kind) {
        assertThat(MessageKind.ofWireName(kind.wireName())).isEqualTo(kind);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "event", "INTEGRATION_EVENT", "integration-event "})
    void anUnknownKindIsRefusedWithTheKnownOnes(String name) {
        assertThatThrownBy(() -> MessageKind.ofWireName(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("kind is \"" + name
                        + "\", but must be one of integration-event, journey-step-command, provider-side-effect");
    }

    @ParameterizedTest
    @CsvSource({"0s, PT0S", "250ms, PT0.25S", "30s, PT30S", "5m, PT5M", "24h, PT24H", "7d, PT168H"})
    void aDurationIsAWholeNumberAndAUnit(String text, Duration duration) {
        assertThat(HumanDuration.parse(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "s", "-5s", "1.5h", "5 s", "5S", "5min", "1h30m", "1234567890s", "PT5S"})
    void aDurationWrittenOtherwiseIsRefusedWithTheRule(String text) {
        assertThatThrownBy(() -> HumanDuration.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("\"" + text + "\" is not a duration; write a whole number and a unit,"
                        + " for example 250ms, 30s, 5m, 24h or 7d");
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0ms",
        "PT0.25S, 250ms",
        "PT30S, 30s",
        "PT90S, 90s",
        "PT5M, 5m",
        "PT24H, 1d",
        "PT25H, 25h",
        "PT168H, 7d"
    })
    void aDurationIsShownAsPeopleWriteIt(Duration duration, String text) {
        assertThat(HumanDuration.format(duration)).isEqualTo(text);
        assertThat(HumanDuration.parse(text)).isEqualTo(duration);
    }
}

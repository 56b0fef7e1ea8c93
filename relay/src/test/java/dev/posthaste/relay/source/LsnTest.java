package dev.posthaste.relay.source;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LsnTest {

    @ParameterizedTest
    @ValueSource(strings = {"0/0", "0/16B3748", "16/B374D848", "FFFFFFFF/FFFFFFFF", "7FFFFFFF/FFFFFFFF", "80000000/0"})
    void isWrittenAsPostgresqlWritesIt(String text) {
        assertThat(Lsn.parse(text)).hasToString(text);
    }

    @Test
    void readsLowerCaseAndLeadingZeros() {
        assertThat(Lsn.parse("0016/b374d848")).isEqualTo(Lsn.parse("16/B374D848"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "0/", "/0", "0/123456789", "0/G", "-1/0", "0/0 ", "0/0/0"})
    void refusesAnythingElse(String text) {
        assertThatThrownBy(() -> Lsn.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining('"' + text + '"')
                .hasMessageContaining("0/16B3748");
    }

    @Test
    void comparesWithoutSign() {
        Lsn low = Lsn.parse("7FFFFFFF/FFFFFFFF");
        Lsn high = Lsn.parse("80000000/0");

        assertThat(low.isBefore(high)).isTrue();
        assertThat(high.isBefore(low)).isFalse();
        assertThat(low.isBefore(low)).isFalse();
        assertThat(low.max(high)).isEqualTo(high);
        assertThat(high.max(low)).isEqualTo(high);
        assertThat(Lsn.NONE.isBefore(low)).isTrue();
    }
}

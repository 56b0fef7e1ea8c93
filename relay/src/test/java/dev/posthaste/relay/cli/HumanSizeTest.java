package dev.posthaste.relay.cli;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class HumanSizeTest {

    @ParameterizedTest
    @CsvSource({"0, 0", "17, 17", "17B, 17", "512KiB, 524288", "8MiB, 8388608", "2GiB, 2147483648"})
    void aSizeIsAWholeNumberAndAUnit(String text, long bytes) {
        assertThat(HumanSize.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "8MB", "8 MiB", "8mib", "-1", "1.5MiB", "MiB", "1234567890123"})
    void anythingElseIsRefusedWithTheRule(String text) {
        assertThatThrownBy(() -> HumanSize.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("\"" + text
                        + "\" is not a size; write a whole number and B, KiB, MiB or GiB, for example 8MiB");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1023, 1023 B",
        "1024, 1.0 KiB",
        "1536, 1.5 KiB",
        "1048576, 1.0 MiB",
        "1073741824, 1.0 GiB",
        "5368709120, 5.0 GiB"
    })
    void aSizeIsShownInTheUnitThatFits(long bytes, String text) {
        assertThat(HumanSize.format(bytes)).isEqualTo(text);
    }
}

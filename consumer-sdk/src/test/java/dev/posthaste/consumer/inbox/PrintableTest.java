package dev.posthaste.consumer.inbox;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PrintableTest {

    @Test
    void whatAReaderWouldObeyIsWrittenOut() {
        assertThat(Printable.of("evil\n21:00 ERROR\r\tforged\0")).isEqualTo("evil\\n21:00 ERROR\\r\\tforged\\u0000");
        assertThat(Printable.of("\u001b[2J \u0085 \u2028 \u202e")).isEqualTo("\\u001b[2J \\u0085 \\u2028 \\u202e");
        assertThat(Printable.of("half \ud83d of a pair")).isEqualTo("half \\ud83d of a pair");
    }

    @Test
    void whatIsOnlyShownStaysAsItIs() {
        assertThat(Printable.of("größer, 書, 😀 \\n")).isEqualTo("größer, 書, 😀 \\n");
        assertThat(Printable.of("")).isEmpty();
    }
}

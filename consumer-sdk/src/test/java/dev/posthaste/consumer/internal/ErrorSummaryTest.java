package dev.posthaste.consumer.internal;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ErrorSummaryTest {

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void itNamesTheCausesAndWhere() {
        Exception error = new IllegalStateException("no room", new IllegalArgumentException("shelf 7 is full"));

        assertThat(ErrorSummary.of(error, utf8("{}")))
                .startsWith("java.lang.IllegalStateException: no room; caused by"
                        + " java.lang.IllegalArgumentException: shelf 7 is full at "
                        + ErrorSummaryTest.class.getName());
    }

    @Test
    void valuesOfThePayloadAreStruckOut() {
        byte[] payload =
                utf8("{\"name\": \"Ada Lovelace\", \"pin\": 4711, \"list\": [{\"first\": \"Ada\"}], \"ok\": true}");
        Exception error = new IllegalStateException("Key (name, pin)=(Ada Lovelace, 4711) for Ada exists");

        assertThat(ErrorSummary.of(error, payload))
                .contains("Key (name, pin)=(***, ***) for *** exists")
                .doesNotContain("Ada", "4711");
    }

    @Test
    void ofAPayloadThatIsNotJsonNoMessageIsTold() {
        assertThat(ErrorSummary.of(new IllegalStateException("secret"), new byte[] {1, 2}))
                .startsWith("java.lang.IllegalStateException at ")
                .doesNotContain("secret");
    }

    @Test
    void itIsBoundedForLongMessagesManyCausesAndCycles() {
        Exception error = new IllegalStateException("x".repeat(100_000));
        Exception cause = new IllegalStateException("y", error);
        error.initCause(cause);

        assertThat(ErrorSummary.of(error, utf8("{}"))).hasSizeLessThan(4_000);
    }
}

package dev.posthaste.schemas;

import java.time.Instant;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class OutboxMessageTest {

    private static final String TYPE = "library.loan-borrowed";

    @Test
    void aMessageKeepsWhatItWasGiven() {
        UUID id = UUID.randomUUID();
        Instant occurred = Instant.parse("2026-01-02T03:04:05.678901Z");

        OutboxMessage message = OutboxMessage.command(TYPE, 3)
                .id(id)
                .key("copy-1")
                .tenant("north")
                .occurredAt(occurred)
                .contentType("application/vnd.library+json")
                .header("b", "2")
                .header("a", "1")
                .json("{ \"n\":  1 }");

        assertThat(message.id()).isEqualTo(id);
        assertThat(message.kind()).isEqualTo(MessageKind.JOURNEY_STEP_COMMAND);
        assertThat(message.schemaVersion()).isEqualTo(3);
        assertThat(message.occurredAt()).isEqualTo(occurred);
        assertThat(message.headers()).containsExactly(java.util.Map.entry("b", "2"), java.util.Map.entry("a", "1"));
        assertThat(message.payload().bytes()).asString().isEqualTo("{ \"n\":  1 }");
    }

    @Test
    void whatIsNotGivenHasItsDefault() {
        OutboxMessage message = OutboxMessage.event(TYPE, 1).json("{}");

        assertThat(message.id()).isNull();
        assertThat(message.key()).isNull();
        assertThat(message.tenant()).isEmpty();
        assertThat(message.occurredAt()).isNull();
        assertThat(message.contentType()).isEqualTo("application/json");
        assertThat(message.headers()).isEmpty();
        assertThat(OutboxMessage.sideEffect(TYPE, 1).bytes(new byte[0]).kind())
                .isEqualTo(MessageKind.PROVIDER_SIDE_EFFECT);
    }

    static Stream<Arguments> limits() {
        return Stream.of(
                arguments("key", 1024, (Consumer<String>) text -> with(message -> message.key(text))),
                arguments("tenant", 200, (Consumer<String>) text -> with(message -> message.tenant(text))),
                arguments("content_type", 200, (Consumer<String>) text -> with(message -> message.contentType(text))),
                arguments("type", 200, (Consumer<String>)
                        text -> OutboxMessage.event(text, 1).json("{}")));
    }

    private static OutboxMessage with(UnaryOperator<OutboxMessage.Builder> change) {
        return change.apply(OutboxMessage.event(TYPE, 1)).json("{}");
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aTextMayFillItsColumnAndNotMore(String column, int max, Consumer<String> make) {
        make.accept("x".repeat(max));

        assertThatThrownBy(() -> make.accept("x".repeat(max + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(column + " has " + (max + 1) + " ")
                .hasMessageEndingWith("but may have at most " + max);
    }

    @Test
    void aKeyIsMeasuredInBytesAndATypeInCharacters() {
        assertThatThrownBy(() -> with(message -> message.key("ä".repeat(513)))).hasMessageContaining("1026 bytes");
        assertThat(OutboxMessage.event("😀".repeat(200), 1).json("{}").type()).hasSize(400);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void noTextHoldsACharacterThatPostgresCannotHold(String column, int max, Consumer<String> make) {
        assertThatThrownBy(() -> make.accept("a\0b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(column)
                .hasMessageContaining("U+0000");
        assertThatThrownBy(() -> make.accept("a\ud83d"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(column)
                .hasMessageContaining("surrogate");
    }

    @Test
    void emptyTextsAreRefusedButForTheTenant() {
        assertThatThrownBy(() -> OutboxMessage.event("", 1).json("{}")).hasMessageStartingWith("type is empty");
        assertThatThrownBy(() -> with(message -> message.key(""))).hasMessageStartingWith("key is empty");
        assertThatThrownBy(() -> with(message -> message.contentType(""))).hasMessageStartingWith("content_type is");
        assertThatThrownBy(() -> OutboxMessage.event(TYPE, 1).json("")).hasMessageStartingWith("payload is empty");
        with(message -> message.tenant(""));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void versionsCountFromOne(int version) {
        assertThatThrownBy(() -> OutboxMessage.event(TYPE, version).json("{}"))
                .hasMessage("schema_version is " + version + ", but must be at least 1");
    }

    @Test
    void aPayloadMayHaveEightMebibytesAndNotMore() {
        OutboxMessage.event(TYPE, 1).bytes(new byte[MessageLimits.PAYLOAD_BYTES_MAX]);

        assertThatThrownBy(() -> OutboxMessage.event(TYPE, 1).bytes(new byte[MessageLimits.PAYLOAD_BYTES_MAX + 1]))
                .hasMessage("payload_bytes has 8388609 bytes, but may have at most 8388608");
        assertThatThrownBy(() ->
                        OutboxMessage.event(TYPE, 1).json('"' + "x".repeat(MessageLimits.PAYLOAD_BYTES_MAX) + '"'))
                .hasMessage("payload has 8388610 bytes, but may have at most 8388608");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ce_id", "CE_ID", "posthaste_kind", "Posthaste_Anything", "content-type", "Content-Type"})
    void ourOwnHeaderNamesAreRefused(String name) {
        assertThatThrownBy(() -> with(message -> message.header(name, "x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"" + name + "\"")
                .hasMessageContaining("choose another name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"traceparent", "tracestate", "ce-id", "posthaste", "x"})
    void otherHeaderNamesAreTheServicesOwn(String name) {
        with(message -> message.header(name, ""));
    }

    @Test
    void aHeaderHasAName() {
        assertThatThrownBy(() -> with(message -> message.header("", "x"))).hasMessageContaining("empty name");
    }

    @Test
    void toStringAndErrorsShowNoPayloadKeyOrHeader() {
        OutboxMessage message = OutboxMessage.event(TYPE, 1)
                .key("measles-key")
                .header("h", "measles-header")
                .json("{\"d\": \"measles\"}");

        assertThat(message.toString()).doesNotContain("measles").contains(TYPE, "16 characters");
        assertThat(new Payload.Bytes(new byte[3])).hasToString("Bytes[3 bytes]");
        assertThatThrownBy(() -> OutboxMessage.event(TYPE, 1).json("\"measles\ud83d\""))
                .message()
                .doesNotContain("measles");
    }

    @Test
    void theHeadersCannotBeChangedAfterwards() {
        OutboxMessage.Builder builder = OutboxMessage.event(TYPE, 1).header("a", "1");
        OutboxMessage message = builder.json("{}");
        builder.header("b", "2");

        assertThat(message.headers()).containsOnlyKeys("a");
        assertThatThrownBy(() -> message.headers().put("c", "3")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void controlCharactersThatCouldForgeALineAreRefused() {
        assertThatThrownBy(() -> OutboxMessage.event("a\nb", 1).json("{}"))
                .hasMessageContaining("type contains a control character");
        assertThatThrownBy(
                        () -> OutboxMessage.event("a", 1).tenant("\u001b[31m").json("{}"))
                .hasMessageContaining("tenant contains a control character");
    }
}

package dev.posthaste.relay.publishing;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.SourceDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PositionCodecTest {

    private static final Position FULL = new Position(
            new SourceDatabase.Identity("7612345678901234567", "library", 3),
            12,
            34,
            56,
            Lsn.parse("16/B374D848"),
            new Position.InProgress(4_294_967_295L, 78),
            Lsn.parse("FFFFFFFF/FFFFFFFF"),
            new UUID(1, 2),
            true);

    private final PositionCodec codec = new PositionCodec();

    @Test
    void everyFieldSurvives() {
        assertThat(codec.decode(codec.encode(FULL))).isEqualTo(FULL);
    }

    @Test
    void soDoesThePositionBeforeTheFirstBatch() {
        Position first = Position.first(FULL.source(), new Lsn(1));
        assertThat(codec.decode(codec.encode(first))).isEqualTo(first);
    }

    @Test
    void anUnknownFormatIsRefused() {
        assertRefused(text().replace("\"format\":1", "\"format\":2"), "format 2");
    }

    @Test
    void aRecordWithoutFormatIsRefused() {
        assertRefused(text().replace("\"format\":1,", ""), "format");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "systemIdentifier",
                "database",
                "timeline",
                "fence",
                "batch",
                "batchMessages",
                "lastCommit",
                "ack",
                "xid",
                "rows"
            })
    void aMissingFieldIsRefusedByName(String field) {
        assertRefused(text().replace("\"" + field + "\":", "\"other\":"), field);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fence", "batch", "batchMessages", "timeline", "xid", "rows"})
    void aNumberThatIsNoneIsRefusedByName(String field) {
        assertRefused(text().replaceFirst("\"" + field + "\":\\d+", "\"" + field + "\":\"many\""), field);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "null", "[]", "42", "\u0000\u0001"})
    void garbageIsRefused(String text) {
        assertRefused(text, "position record");
    }

    @Test
    void aPlaceThatIsNoneIsRefused() {
        assertRefused(text().replace("16/B374D848", "somewhere"), "somewhere");
    }

    private String text() {
        return new String(codec.encode(FULL), StandardCharsets.UTF_8);
    }

    private void assertRefused(String text, String named) {
        assertThatThrownBy(() -> codec.decode(text.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(named);
    }
}

package dev.posthaste.relay.source;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RecordReaderTest {

    private static final UUID ID = UUID.randomUUID();
    private static final Schema ROW = SchemaBuilder.struct()
            .field("id", Schema.STRING_SCHEMA)
            .field("kind", Schema.STRING_SCHEMA)
            .field("type", Schema.STRING_SCHEMA)
            .field("schema_version", Schema.INT32_SCHEMA)
            .field("key", Schema.OPTIONAL_STRING_SCHEMA)
            .field("tenant", Schema.STRING_SCHEMA)
            .field("occurred_at", Schema.STRING_SCHEMA)
            .field("content_type", Schema.STRING_SCHEMA)
            .field("payload", Schema.OPTIONAL_STRING_SCHEMA)
            .field("payload_bytes", Schema.OPTIONAL_BYTES_SCHEMA)
            .field("headers", Schema.OPTIONAL_STRING_SCHEMA)
            .field("created_at", Schema.STRING_SCHEMA)
            .build();
    private static final Schema ENVELOPE =
            SchemaBuilder.struct().field("after", ROW).build();

    private final RecordReader reader = new RecordReader("posthaste");

    private static Struct row(String occurredAt) {
        return new Struct(ROW)
                .put("id", ID.toString())
                .put("kind", "integration-event")
                .put("type", "library.loan-borrowed")
                .put("schema_version", 1)
                .put("tenant", "")
                .put("occurred_at", occurredAt)
                .put("content_type", "application/json")
                .put("payload_bytes", ByteBuffer.wrap(new byte[] {1, 2}))
                .put("created_at", "2026-03-04T05:06:08Z");
    }

    private static SourceRecord sourceRecord(String topic, Map<String, ?> offset, Struct row) {
        return new SourceRecord(Map.of(), offset, topic, ENVELOPE, new Struct(ENVELOPE).put("after", row));
    }

    @Test
    void readsTheRowItsTransactionAndTheCommitBefore() {
        SourceRecord message = sourceRecord(
                "posthaste.outbox.message",
                Map.of("txId", 4_294_967_295L, "lsn_commit", 77L),
                row("2026-03-04T06:06:07.000089+01:00"));

        assertThat(reader.isOutboxRow(message)).isTrue();
        assertThat(reader.xid(message)).isEqualTo(4_294_967_295L);
        assertThat(reader.lastCommit(message)).isEqualTo(new Lsn(77));
        OutboxRow row = reader.row(message);
        assertThat(row.id()).isEqualTo(ID);
        assertThat(row.key()).isNull();
        assertThat(row.occurredAt()).isEqualTo(Instant.parse("2026-03-04T05:06:07.000089Z"));
        assertThat(row.payload().bytes()).containsExactly(1, 2);
    }

    @Test
    void beforeTheFirstCommitThereIsNone() {
        assertThat(reader.lastCommit(sourceRecord("posthaste.message", Map.of("lsn", 5L), row("2026-03-04T05:06:08Z"))))
                .isNull();
    }

    @Test
    void whatIsOfAnotherTopicIsNoOutboxRow() {
        assertThat(reader.isOutboxRow(sourceRecord("posthaste.message", Map.of(), row("2026-03-04T05:06:08Z"))))
                .isFalse();
    }

    @Test
    void anOutboxRowWithoutTransactionIsAChangedContract() {
        SourceRecord message = sourceRecord("posthaste.outbox.message", Map.of(), row("2026-03-04T05:06:08Z"));
        assertThatThrownBy(() -> reader.xid(message)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatIsNullAndMustNotBeIsNotedInTheRow() {
        Struct row = row("2026-03-04T05:06:08Z").put("payload_bytes", null);
        OutboxRow read = reader.row(sourceRecord("posthaste.outbox.message", Map.of("txId", 1L), row));
        assertThat(read.missing()).containsExactly("payload");
        assertThat(read.payload().bytes()).isEmpty();
    }

    @Test
    void aNullIsNotedAndNotFilledInWithTheDefaultOfItsColumn() {
        Schema withDefault =
                SchemaBuilder.string().optional().defaultValue("a default").build();
        SchemaBuilder schema = SchemaBuilder.struct();
        List<String> columns = List.of("kind", "type", "tenant", "occurred_at", "content_type");
        ROW.fields()
                .forEach(field ->
                        schema.field(field.name(), columns.contains(field.name()) ? withDefault : field.schema()));
        Struct row = new Struct(schema.build());
        Struct whole = row("2026-03-04T05:06:08Z");
        ROW.fields().stream()
                .filter(field -> !columns.contains(field.name()))
                .forEach(field -> row.put(field.name(), whole.get(field)));
        assertThat(row.get("tenant")).as("as Connect fills it in").isEqualTo("a default");

        Schema envelope = SchemaBuilder.struct().field("after", row.schema()).build();
        OutboxRow read = reader.row(new SourceRecord(
                Map.of(),
                Map.of("txId", 1L),
                "posthaste.outbox.message",
                envelope,
                new Struct(envelope).put("after", row)));

        assertThat(read.missing()).containsExactlyInAnyOrderElementsOf(columns);
    }

    @Test
    void aPayloadOfBytesIsNotCopied() {
        byte[] bytes = {1, 2, 3};
        Struct whole = row("2026-03-04T05:06:08Z").put("payload_bytes", ByteBuffer.wrap(bytes));
        Struct part = row("2026-03-04T05:06:08Z").put("payload_bytes", ByteBuffer.wrap(bytes, 1, 2));
        Map<String, Long> offset = Map.of("txId", 1L);
        assertThat(reader.row(sourceRecord("posthaste.outbox.message", offset, whole))
                        .payload()
                        .bytes())
                .isSameAs(bytes);
        assertThat(reader.row(sourceRecord("posthaste.outbox.message", offset, part))
                        .payload()
                        .bytes())
                .containsExactly(2, 3);
    }

    @Test
    void aTimeOfInfinityIsUnreadableByName() {
        SourceRecord message = sourceRecord("posthaste.outbox.message", Map.of("txId", 1L), row("infinity"));
        assertThatThrownBy(() -> reader.row(message))
                .isInstanceOf(UnreadableRowException.class)
                .hasMessageContaining(ID.toString())
                .hasMessageContaining("occurred_at is infinity");
    }
}

package dev.posthaste.relay;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.StreamSupport;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;

@PosthasteStack
class MessageBytesTest {

    private static final List<String> HANDLERS = List.of("due-notice", "statistics");
    private static final UUID ID = UUID.fromString("0195a1b2-0000-7000-8000-000000000001");
    private static final String ODD_JSON =
            " {\"a\" :\t1.10,\n\"a\": {\"nested\": [ ]} , \"emoji\": \"\uD83D\uDCEE é \\u00e9\\u0000\",\"z\":null , \"b\":-0.0}  ";

    @Test
    void oddlyWrittenJsonArrivesByteForByteWithExactlyTheDocumentedHeaders(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        stage(
                outbox,
                "copy-ß",
                "north",
                ODD_JSON,
                null,
                "{\"traceparent\": \"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\", \"who\": \"me \uD83D\uDCEE\"}");
        publish(outbox);

        for (String handler : HANDLERS) {
            ConsumerRecord<String, byte[]> message = only(outbox, handler);
            assertThat(new String(message.value(), StandardCharsets.UTF_8)).isEqualTo(ODD_JSON);
            assertThat(message.key()).isEqualTo("copy-ß");
            assertThat(headers(message))
                    .containsExactly(
                            "ce_specversion=1.0",
                            "ce_id=" + ID,
                            "ce_type=" + Outbox.TYPE,
                            "ce_source=/" + outbox.settings().namespace() + "/lending",
                            "ce_time=2026-03-04T05:06:07.000089Z",
                            "ce_subject=copy-ß",
                            "ce_dataschema=urn:posthaste:" + Outbox.TYPE + ":1",
                            "content-type=application/x-odd",
                            "posthaste_kind=integration-event",
                            "posthaste_schema_version=1",
                            "posthaste_tenant=north",
                            "posthaste_staged_at=" + stagedAt(outbox),
                            "traceparent=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                            "who=me \uD83D\uDCEE");
        }
    }

    @Test
    void everyByteValueArrivesAsItIsAndTheIdIsTheKeyWhereNoneIsGiven(Stack stack, @TempDir Path directory)
            throws Exception {
        byte[] bytes = new byte[256];
        for (int n = 0; n < bytes.length; n++) {
            bytes[n] = (byte) n;
        }
        Outbox outbox = Outbox.initialised(stack, directory);
        stage(outbox, null, "", null, bytes, null);
        publish(outbox);

        for (String handler : HANDLERS) {
            ConsumerRecord<String, byte[]> message = only(outbox, handler);
            assertThat(message.value()).isEqualTo(bytes);
            assertThat(message.key()).isEqualTo(ID.toString());
            assertThat(headers(message))
                    .hasSize(10)
                    .noneMatch(header -> header.startsWith("ce_subject") || header.startsWith("posthaste_tenant"));
        }
    }

    @Test
    void theLargestPayloadTheTableTakesArrives(Stack stack, @TempDir Path directory) throws Exception {
        byte[] bytes = new byte[8 * 1024 * 1024];
        new Random(1).nextBytes(bytes); // nothing that compression could make smaller
        Outbox outbox = Outbox.initialised(stack, directory);
        stage(outbox, null, "", null, bytes, null);
        publish(outbox);

        for (String handler : HANDLERS) {
            assertThat(only(outbox, handler).value()).isEqualTo(bytes);
        }
    }

    private static void stage(Outbox outbox, String key, String tenant, String json, byte[] bytes, String headers)
            throws SQLException {
        try (Connection connection = outbox.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO outbox.message (id, kind, type,"
                        + " schema_version, key, tenant, occurred_at, content_type, payload, payload_bytes, headers)"
                        + " VALUES (?, 'integration-event', ?, 1, ?, ?, '2026-03-04 06:06:07.000089+01',"
                        + " 'application/x-odd', ?::json, ?, ?::json)")) {
            insert.setObject(1, ID);
            insert.setString(2, Outbox.TYPE);
            insert.setString(3, key);
            insert.setString(4, tenant);
            insert.setString(5, json);
            insert.setObject(6, bytes, Types.BINARY);
            insert.setString(7, headers);
            insert.executeUpdate();
        }
    }

    private static void publish(Outbox outbox) throws InterruptedException {
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.awaitDispatched();
        }
    }

    private static ConsumerRecord<String, byte[]> only(Outbox outbox, String handler) {
        List<ConsumerRecord<String, byte[]>> records = outbox.records(handler);
        assertThat(records).hasSize(1);
        return records.get(0);
    }

    private static List<String> headers(ConsumerRecord<String, byte[]> message) {
        return StreamSupport.stream(message.headers().spliterator(), false)
                .map(header -> header.key() + "=" + new String(header.value(), StandardCharsets.UTF_8))
                .toList();
    }

    private static String stagedAt(Outbox outbox) {
        return outbox.column("SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
                        + " FROM outbox.message")
                .get(0);
    }
}

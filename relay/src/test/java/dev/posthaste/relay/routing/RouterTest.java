package dev.posthaste.relay.routing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.relay.Outbox;
import dev.posthaste.relay.Rows;
import dev.posthaste.relay.TestCatalog;
import dev.posthaste.relay.source.OutboxRow;
import dev.posthaste.schemas.Namespace;
import dev.posthaste.schemas.catalog.CatalogReader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

class RouterTest {

    private static final UUID ID = UUID.fromString("0195a1b2-0000-7000-8000-000000000001");

    private static Router router;

    @BeforeAll
    static void catalog(@TempDir Path directory) {
        TestCatalog.write(directory);
        TestCatalog.event(directory, "library.nobody-reads", "integration-event");
        router = new Router(new Namespace("library"), CatalogReader.read(directory));
    }

    @Test
    void aMessageGoesToTheTopicOfEveryHandlerUnderItsKey() throws Exception {
        RoutedMessage routed = router.route(Rows.row(ID, "copy-1", "", null));

        assertThat(routed.topics()).containsExactly("library.due-notice", "library.statistics");
        assertThat(routed.key()).isEqualTo("copy-1");
    }

    @Test
    void theHeadersAreExactlyTheDocumentedOnes() throws Exception {
        RoutedMessage routed = router.route(Rows.row(
                ID,
                "copy-1",
                "north",
                "{\"traceparent\": \"00-aa-bb-01\", \"tracestate\": \"a=b\", \"who\": \"me é\"}"));

        assertThat(new ArrayList<>(routed.headers().entrySet()))
                .containsExactly(
                        entry("ce_specversion", "1.0"),
                        entry("ce_id", ID.toString()),
                        entry("ce_type", Outbox.TYPE),
                        entry("ce_source", "/library/lending"),
                        entry("ce_time", "2026-03-04T05:06:07.000089Z"),
                        entry("ce_subject", "copy-1"),
                        entry("ce_dataschema", "urn:posthaste:" + Outbox.TYPE + ":1"),
                        entry("content-type", "application/json"),
                        entry("posthaste_kind", "integration-event"),
                        entry("posthaste_schema_version", "1"),
                        entry("posthaste_tenant", "north"),
                        entry("posthaste_staged_at", "2026-03-04T05:06:08.000000Z"),
                        entry("traceparent", "00-aa-bb-01"),
                        entry("tracestate", "a=b"),
                        entry("who", "me é"));
    }

    @Test
    void withoutKeyAndTenantTheIdIsTheKeyAndTheirHeadersAreAbsent() throws Exception {
        RoutedMessage routed = router.route(Rows.row(ID));

        assertThat(routed.key()).isEqualTo(ID.toString());
        assertThat(routed.headers())
                .doesNotContainKeys("ce_subject", "posthaste_tenant")
                .hasSize(10);
    }

    @Test
    void aKnownTypeThatNobodyReadsGoesNowhere() throws Exception {
        assertThat(router.route(row("integration-event", "library.nobody-reads", 1))
                        .topics())
                .isEmpty();
    }

    @Test
    void anUnknownTypeIsRefusedNamingTheFileToAdd() {
        assertRefused(row("integration-event", "library.unknown", 1), List.of("events/library.unknown.yaml"));
    }

    @Test
    void anUnknownVersionIsRefusedNamingTheKnownOnes() {
        assertRefused(row("integration-event", Outbox.TYPE, 2), List.of("version 2", "[1]"));
    }

    @Test
    void anotherKindThanTheCatalogsIsRefused() throws Exception {
        router.route(Rows.row(ID)); // the route is known by now
        assertRefused(
                row("journey-step-command", Outbox.TYPE, 1), List.of("journey-step-command", "integration-event"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{\"a\": {}}",
                "{\"a\": null}",
                "{",
                "{\"ce_id\": \"mine\"}",
                "{\"Posthaste_Kind\": \"mine\"}",
                "{\"Content-Type\": \"mine\"}"
            })
    void unreadableOrReservedHeadersAreRefusedWithoutTellingThem(String headers) {
        assertThatThrownBy(() -> router.route(Rows.row(ID, null, "", headers)))
                .isInstanceOf(UnroutableException.class)
                .hasMessageContaining(ID.toString())
                .hasMessageContaining("header")
                .hasMessageNotContaining("mine");
    }

    private static OutboxRow row(String kind, String type, int version) {
        return Rows.row(ID, kind, type, version, null, "", null);
    }

    private static void assertRefused(OutboxRow row, List<String> named) {
        assertThatThrownBy(() -> router.route(row))
                .isInstanceOf(UnroutableException.class)
                .hasMessageContaining(ID.toString())
                .message()
                .contains(named);
    }

    @Test
    void aClosedTopicGetsNothingNoMarkerEitherAndTheOthersTheirCopies(@TempDir Path directory) throws Exception {
        Router around = new Router(
                new Namespace("library"),
                CatalogReader.read(TestCatalog.write(directory)),
                topic -> topic.equals("library.due-notice") ? Unpublishable.Cause.TOPIC_FORBIDDEN : null);
        RoutedMessage routed = around.route(Rows.row(ID));

        assertThat(around.closedTo(routed)).singleElement().satisfies(fault -> {
            assertThat(fault.handler()).isEqualTo("due-notice");
            assertThat(fault.cause()).isEqualTo(Unpublishable.Cause.TOPIC_FORBIDDEN);
            assertThat(fault.error()).contains("library.due-notice", "WRITE");
        });
        assertThat(around.withoutClosed(routed).topics()).containsExactly("library.statistics");
        RoutedMessage markers = around.withoutClosed(around.markersOnly(Rows.row(ID)));
        assertThat(markers.markers()).containsExactly("library.statistics");
    }
}

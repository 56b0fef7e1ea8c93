package dev.posthaste.schemas.catalog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.schemas.MessageKind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CatalogReaderTest {

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    @TempDir
    private Path directory;

    private CatalogFiles files;

    @BeforeEach
    void startWithAGoodCatalog() {
        files = new CatalogFiles(directory);
    }

    @Test
    void aGoodCatalogIsReadInFull() {
        Catalog catalog = files.read();

        EventRecord event = catalog.event("library.loan-borrowed").orElseThrow();
        assertThat(event.kind()).isEqualTo(MessageKind.INTEGRATION_EVENT);
        assertThat(event.direction()).isEqualTo("outbound");
        assertThat(event.trust()).isEqualTo("internal");
        assertThat(event.owner()).isEqualTo("lending");
        assertThat(event.versions()).containsOnlyKeys(1);
        assertThat(event.versions().get(1).classifications()).isEqualTo(Map.of("memberId", "personal"));
        HandlerRecord handler = catalog.handler("due-notice").orElseThrow();
        assertThat(handler.mode()).isEqualTo(DeliveryMode.TRANSACTIONAL);
        assertThat(handler.order()).isEqualTo(DeliveryOrder.PER_KEY);
        assertThat(handler.onDeadLetter()).isEqualTo(OnDeadLetter.BLOCK);
        assertThat(handler.subscriptions())
                .containsExactly(new HandlerRecord.Subscription("library.loan-borrowed", Set.of(1)));
        assertThat(handler.delivery().retry())
                .isEqualTo(new DurableDelivery.Retry(
                        5, Duration.ofSeconds(1), Duration.ofMinutes(1), Duration.ofHours(1)));
        assertThat(handler.delivery().alerts()).isEqualTo(new DurableDelivery.Alerts(Duration.ofSeconds(30), 1));
        assertThat(catalog.handlersOf("library.loan-borrowed", 1)).containsExactly(handler);
        assertThat(catalog.handlersOf("library.loan-borrowed", 2)).isEmpty();
        assertThat(catalog.handlersOf("library.unknown", 1)).isEmpty();
    }

    @Test
    void everyRequiredFieldOfAHandlerIsDemandedByName() throws IOException {
        List<String> demanded = demandedOneByOne("handlers/due-notice.yaml", CatalogFiles.HANDLER, Set.of());

        assertThat(demanded)
                .contains("handler", "owner", "subscribes", "order", "onDeadLetter", "delivery")
                .contains("guarantee", "boundary", "duplicates", "retry", "runbook", "target", "alerts")
                .contains("attempts", "first", "max", "horizon", "oldestPending", "failed", "type", "versions");
    }

    @Test
    void everyRequiredFieldOfAnIntegrationEventIsDemandedByName() throws IOException {
        List<String> demanded = demandedOneByOne(
                "events/library.loan-borrowed.yaml", CatalogFiles.EVENT, Set.of("memberId", "schema/type"));

        assertThat(demanded)
                .contains("type", "kind", "direction", "trust", "owner", "versions")
                .contains("version", "schema", "classifications");
    }

    /** Leaves out every field of a file, one at a time; each time the file and the field must be named. */
    private List<String> demandedOneByOne(String file, String text, Set<String> free) throws IOException {
        List<String> demanded = new ArrayList<>();
        for (String path : fields("", YAML.readTree(text))) {
            if (free.stream().anyMatch(path::endsWith)) {
                continue;
            }
            JsonNode spoiled = YAML.readTree(text);
            String parent = path.substring(0, path.lastIndexOf('/'));
            String field = path.substring(path.lastIndexOf('/') + 1);
            ((ObjectNode) spoiled.at(parent)).remove(field);
            files.write(file, YAML.writeValueAsString(spoiled));

            assertThat(files.findings())
                    .as("findings without %s", path)
                    .anyMatch(finding -> finding.startsWith(file + ": ") && finding.contains("'" + field + "'"));
            demanded.add(field);
        }
        return demanded;
    }

    private static List<String> fields(String path, JsonNode node) {
        List<String> all = new ArrayList<>();
        node.properties().forEach(entry -> {
            all.add(path + "/" + entry.getKey());
            all.addAll(fields(path + "/" + entry.getKey(), entry.getValue()));
        });
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            all.addAll(fields(path + "/" + i, node.get(i)));
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"direction: outbound\n", "trust: internal\n"})
    void onlyIntegrationEventsNeedDirectionAndTrust(String line) {
        files.event(line, "");
        assertThat(files.findings()).hasSize(1);

        files.write(
                "events/library.loan-borrowed.yaml",
                CatalogFiles.EVENT.replace(line, "").replace("integration-event", "provider-side-effect"));
        assertThat(files.read().events()).hasSize(1);
    }

    @Test
    void aProviderSideEffectRunsLeasedUnlessTheHandlerSaysOtherwise() {
        files.event("integration-event", "provider-side-effect");
        assertThat(files.read().handler("due-notice").orElseThrow().mode()).isEqualTo(DeliveryMode.LEASED);

        files.handler("order: per-key", "order: per-key\nmode: transactional");
        assertThat(files.read().handler("due-notice").orElseThrow().mode()).isEqualTo(DeliveryMode.TRANSACTIONAL);
    }

    @Test
    void aHandlerOfKindsThatAskForDifferentModesMustNameOne() {
        files.write(
                "events/library.call.yaml",
                CatalogFiles.EVENT
                        .replace("library.loan-borrowed", "library.call")
                        .replace("integration-event", "provider-side-effect"));
        String both = "  - type: library.loan-borrowed\n    versions: [1]\n  - type: library.call\n    versions: [1]\n";
        files.handler("  - type: library.loan-borrowed\n    versions: [1]\n", both);

        assertThat(files.findings()).singleElement().asString().startsWith("handlers/due-notice.yaml: mode is missing");

        files.write(
                "handlers/due-notice.yaml",
                CatalogFiles.HANDLER.replace("  - type: library.loan-borrowed\n    versions: [1]\n", both)
                        + "mode: leased\n");
        assertThat(files.read().handler("due-notice").orElseThrow().mode()).isEqualTo(DeliveryMode.LEASED);
    }

    @ParameterizedTest
    @CsvSource({"0, []", "2, '[due-notice, statistics]'"})
    void aCommandHasExactlyOneHandler(int handlers, String names) throws IOException {
        files.event("integration-event", "journey-step-command");
        assertThat(files.read().handlersOf("library.loan-borrowed", 1)).hasSize(1);
        if (handlers == 0) {
            Files.delete(directory.resolve("handlers/due-notice.yaml"));
        } else {
            files.write("handlers/statistics.yaml", CatalogFiles.HANDLER.replace("due-notice", "statistics"));
        }

        assertThat(files.findings())
                .containsExactly(
                        "events/library.loan-borrowed.yaml: a journey-step-command has exactly one handler, but "
                                + handlers + " subscribe to it: " + names);
    }

    @Test
    void anEventMayHaveNoHandlerOrMany() throws IOException {
        files.write("handlers/statistics.yaml", CatalogFiles.HANDLER.replace("due-notice", "statistics"));
        assertThat(files.read().handlersOf("library.loan-borrowed", 1)).hasSize(2);

        Files.delete(directory.resolve("handlers/due-notice.yaml"));
        Files.delete(directory.resolve("handlers/statistics.yaml"));
        assertThat(files.read().handlersOf("library.loan-borrowed", 1)).isEmpty();
    }

    @Test
    void aFileIsNamedAfterWhatItDescribes() throws IOException {
        Files.move(directory.resolve("handlers/due-notice.yaml"), directory.resolve("handlers/notices.yaml"));
        files.write("events/loans.yaml", CatalogFiles.EVENT.replace("library.loan-borrowed", "library.loans"));

        assertThat(files.findings())
                .containsExactlyInAnyOrder(
                        "handlers/notices.yaml: it describes due-notice; rename the file to due-notice.yaml",
                        "events/loans.yaml: it describes library.loans; rename the file to library.loans.yaml");
    }

    @ParameterizedTest
    @ValueSource(strings = {"due-notice.yml", "notes.txt", "due-notice.yaml.orig"})
    void aFileThatWouldBeOverlookedIsRefused(String name) {
        files.write("handlers/" + name, "x");

        assertThat(files.findings())
                .containsExactly(
                        "handlers/" + name + ": is not a .yaml file; rename it, or move it out of the catalog");
    }

    @Test
    void aVersionThatIsThereTwiceIsRefused() {
        files.event("versions:\n", "versions:\n  - version: 1\n    schema: true\n    classifications: {}\n");

        assertThat(files.findings())
                .containsExactly("events/library.loan-borrowed.yaml: version 1 is there twice; keep one");
    }

    @Test
    void aTypeThatAHandlerSubscribesToTwiceIsRefused() {
        files.handler("    versions: [1]\n", "    versions: [1]\n  - type: library.loan-borrowed\n    versions: [1]\n");

        assertThat(files.findings())
                .containsExactly("handlers/due-notice.yaml: it subscribes to library.loan-borrowed twice;"
                        + " put all versions into one subscription");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "oldestPending: 30s | oldestPending: 61s | delivery.alerts.oldestPending is 61s, looser than the delivery target of 1m",
                "first: 1s          | first: 2m          | delivery.retry.first is 2m, longer than delivery.retry.max, 1m",
                "max: 1m            | max: 2h            | delivery.retry.max is 2h, longer than delivery.retry.horizon, 1h",
            })
    void aThresholdLooserThanItsBoundIsRefused(String good, String bad, String rule) {
        files.handler(good, bad);

        assertThat(files.findings()).singleElement().asString().startsWith("handlers/due-notice.yaml: " + rule);
    }

    @Test
    void anAlertAsTightAsTheTargetIsFine() {
        files.handler("oldestPending: 30s", "oldestPending: 1m");

        assertThat(files.read().handlers()).hasSize(1);
    }

    @Test
    void aSubscriptionToAnUnknownTypeOrVersionIsRefused() {
        files.handler("type: library.loan-borrowed", "type: library.loan-returned");
        assertThat(files.findings())
                .containsExactly(
                        "handlers/due-notice.yaml: it subscribes to library.loan-returned, which has no record;"
                                + " add events/library.loan-returned.yaml");

        files.handler("versions: [1]", "versions: [1, 2]");
        assertThat(files.findings())
                .containsExactly("handlers/due-notice.yaml: it subscribes to library.loan-borrowed version 2,"
                        + " but the record has versions [1]");
    }

    @Test
    void anExcludedTypeHasAReasonAndNoRecord() {
        files.write("excluded.yaml", "excluded:\n  - {type: library.mail, reason: sent again by hand}\n");
        assertThat(files.read().exclusion("library.mail")).contains("sent again by hand");
        assertThat(files.read().exclusion("library.loan-borrowed")).isEmpty();

        files.write("excluded.yaml", "excluded:\n  - {type: library.loan-borrowed, reason: by mistake}\n");
        assertThat(files.findings())
                .singleElement()
                .asString()
                .startsWith("excluded.yaml: library.loan-borrowed has an event record as well");

        files.write("excluded.yaml", "excluded:\n  - {type: library.mail}\n");
        assertThat(files.findings())
                .singleElement()
                .asString()
                .startsWith("excluded.yaml: ")
                .contains("'reason'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"relay", "outcomes"})
    void namesOfTopicsOfOursAreNoNamesForAHandler(String name) {
        files.write("handlers/" + name + ".yaml", CatalogFiles.HANDLER.replace("due-notice", name));

        assertThat(files.findings()).singleElement().asString().startsWith("handlers/" + name + ".yaml: at /handler: ");
    }

    @ParameterizedTest
    @CsvSource({
        "handler: due-notice, handler: Due_Notice, /handler",
        "order: per-key, order: global, /order",
        "onDeadLetter: block, onDeadLetter: ignore, /onDeadLetter",
        "guarantee: effect-once, guarantee: exactly-once, /delivery/guarantee",
        "target: 1m, target: 60, /delivery/target",
        "attempts: 5, attempts: 0, /delivery/retry/attempts",
        "failed: 1, failed: 0, /delivery/alerts/failed",
        "versions: [1], versions: [], /subscribes/0/versions",
        "owner: circulation, owner: '', /owner",
    })
    void aValueAgainstTheSchemaIsRefusedWithItsPlace(String good, String bad, String place) {
        files.handler(good, bad);

        assertThat(files.findings())
                .anyMatch(finding -> finding.startsWith("handlers/due-notice.yaml: at " + place + ": "));
    }

    @Test
    void anUnknownFieldIsRefused() {
        files.handler("order: per-key", "order: per-key\nretries: 5");

        assertThat(files.findings())
                .singleElement()
                .asString()
                .startsWith("handlers/due-notice.yaml: ")
                .contains("'retries'");
    }

    @Test
    void aPayloadSchemaMustBeAJsonSchema() {
        files.event("schema: {type: object}", "schema: {type: thing}");

        assertThat(files.findings())
                .isNotEmpty()
                .allMatch(finding -> finding.startsWith(
                        "events/library.loan-borrowed.yaml: version 1: schema is not a JSON Schema: "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# nothing\n", "just text", "- a\n- b\n", "handler: [", "order: a\norder: b\n"})
    void aFileThatIsNoRecordIsAFindingAndNoCrash(String text) {
        files.write("handlers/due-notice.yaml", text);

        assertThat(files.findings()).isNotEmpty().allMatch(finding -> finding.startsWith("handlers/due-notice.yaml: "));
    }

    @Test
    void allFindingsAreToldAtOnce() {
        files.event("owner: lending\n", "");
        files.handler("order: per-key\n", "");
        files.write("excluded.yaml", "x");

        assertThatThrownBy(files::read)
                .isInstanceOf(CatalogException.class)
                .hasMessageStartingWith("the catalog has 3 faults:\n  ")
                .hasMessageContainingAll(
                        "events/library.loan-borrowed.yaml", "handlers/due-notice.yaml", "excluded.yaml");
    }

    @Test
    void aDirectoryThatIsNoCatalogIsRefused() {
        Path nowhere = directory.resolve("nowhere");

        assertThatThrownBy(() -> CatalogReader.read(nowhere))
                .isInstanceOf(CatalogException.class)
                .hasMessageContaining(nowhere.resolve("events") + ": cannot be read (NoSuchFileException)");
    }

    @Test
    void theFingerprintChangesWithEveryFileAndWithNothingElse() throws IOException {
        String before = files.read().version();
        assertThat(files.read().version()).isEqualTo(before).matches("[0-9a-f]{16}");
        Files.setLastModifiedTime(
                directory.resolve("handlers/due-notice.yaml"), java.nio.file.attribute.FileTime.fromMillis(0));
        assertThat(files.read().version()).isEqualTo(before);

        files.handler("owner: circulation", "owner: reading-room");
        String otherHandler = files.read().version();
        files.event("owner: lending", "owner: desk");
        String otherEvent = files.read().version();
        files.write("excluded.yaml", "excluded: []\n");
        String withExclusions = files.read().version();

        assertThat(Set.of(before, otherHandler, otherEvent, withExclusions)).hasSize(4);
    }
}

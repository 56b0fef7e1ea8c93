package dev.posthaste.relay.doctor;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.Outbox;
import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.doctor.Finding.Severity;
import dev.posthaste.relay.setup.Initializer;
import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.schemas.catalog.CatalogReader;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class DoctorTest {

    @Test
    void aHealthyOutboxHasNoErrors(Stack stack, @TempDir Path directory) throws Exception {
        List<Finding> findings = examine(Outbox.initialised(stack, directory).settings(), Clock.systemUTC());

        assertThat(findings).noneMatch(finding -> finding.severity() == Severity.ERROR);
        assertThat(findings)
                .extracting(Finding::subject)
                .contains(
                        "server.version",
                        "server.wal_level",
                        "publication",
                        "publication.columns",
                        "role.grants",
                        "slot",
                        "slot.plugin",
                        "slot.failover",
                        "kafka.transaction.version",
                        "position",
                        "clock");
    }

    @Test
    void everyFindingThatIsNotFineSaysWhyItMattersAndWhatMendsIt(Stack stack, @TempDir Path directory)
            throws Exception {
        List<Finding> findings = examine(Outbox.initialised(stack, directory).settings(), Clock.systemUTC());

        assertThat(findings)
                .filteredOn(finding -> finding.severity() != Severity.OK)
                .isNotEmpty()
                .allSatisfy(finding -> {
                    assertThat(finding.why()).isNotEmpty();
                    assertThat(finding.remedy()).isNotEmpty();
                });
    }

    @Test
    void anOutboxThatWasNeverInitialisedIsAllErrors(Stack stack, @TempDir Path directory) throws Exception {
        assertThat(errors(Outbox.bare(stack, directory).settings())).contains("outbox.message", "slot", "position");
    }

    @Test
    void aMissingSlotAndAPublicationWithoutAColumnAreFound(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        outbox.sql("SELECT pg_drop_replication_slot('" + outbox.settings().slot() + "')");
        outbox.sql("ALTER PUBLICATION posthaste SET TABLE outbox.message (id, created_at)");

        assertThat(errors(outbox.settings())).contains("slot", "position.SLOT_MISSING", "publication.columns");
        assertThat(examine(outbox.settings(), Clock.systemUTC()))
                .filteredOn(finding -> finding.subject().equals("slot"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.remedy()).contains("posthaste repair"));
    }

    @Test
    void aPublicationOfUpdatesIsFound(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        outbox.sql("ALTER PUBLICATION posthaste SET (publish = 'insert, update')");

        assertThat(errors(outbox.settings())).containsExactly("publication");
    }

    @Test
    void aRoleThatIsNoRelaysIsToldToLogInAsOneAndARelaysRoleWhatItLacks(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        String role = "plain_" + outbox.settings().slot();
        outbox.sql("CREATE ROLE " + role + " LOGIN PASSWORD 'plain'");
        RelaySettings settings = as(outbox.settings(), role);

        assertThat(examine(settings, Clock.systemUTC()))
                .filteredOn(finding -> finding.severity() == Severity.ERROR)
                .filteredOn(finding -> !finding.subject().startsWith("position"))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.subject()).isEqualTo("role");
                    assertThat(finding.what()).contains(role, "posthaste_relay");
                    assertThat(finding.remedy()).contains("database.url", "GRANT posthaste_relay TO " + role);
                });

        outbox.sql("GRANT posthaste_relay TO " + role);
        outbox.sql("REVOKE INSERT ON outbox.dispatch_batch FROM posthaste_relay");
        assertThat(examine(settings, Clock.systemUTC()))
                .filteredOn(finding -> finding.severity() == Severity.ERROR)
                .extracting(Finding::subject)
                .containsExactly("role.replication", "role.grants");
        outbox.sql("DROP ROLE " + role);
    }

    private static RelaySettings as(RelaySettings settings, String role) {
        DatabaseSettings database = settings.database();
        return TestSettings.withDatabase(
                settings,
                new DatabaseSettings(database.host(), database.port(), database.name(), role, "plain", "prefer"));
    }

    @Test
    void anotherNumberOfPartitionsThanFirstSeenIsAnErrorUntilItIsAccepted(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        String topic = outbox.topic("statistics");
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", stack.kafka().bootstrapServers()))) {
            admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(5)))
                    .all()
                    .get();
            await().until(() -> admin.describeTopics(List.of(topic))
                            .allTopicNames()
                            .get()
                            .get(topic)
                            .partitions()
                            .size()
                    == 5);
        }
        assertThat(outbox.initialise()).anyMatch(line -> line.contains(topic + " has 5 partitions and had 3"));
        assertThat(examine(outbox.settings(), Clock.systemUTC()))
                .filteredOn(finding -> finding.severity() == Severity.ERROR)
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.subject()).isEqualTo("topic." + topic + ".partitions");
                    assertThat(finding.what()).isEqualTo("5, but 3 when it was first seen");
                    assertThat(finding.why()).contains("overtake");
                    assertThat(finding.remedy()).contains("posthaste init --accept-partitions");
                });

        new Initializer(outbox.settings(), step -> {})
                .run(CatalogReader.read(outbox.catalog()), new Initializer.Choices(3, Optional.empty(), false, true));
        assertThat(errors(outbox.settings())).isEmpty();
    }

    @Test
    void whatKafkaTellsOfVersionsTopicsAndTheTransactionalIdIsFound(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        assertThat(examine(outbox.settings(), Clock.systemUTC()))
                .filteredOn(finding -> finding.severity() == Severity.OK)
                .extracting(Finding::subject)
                .contains(
                        "kafka.metadata.version",
                        "kafka.transaction.version",
                        "kafka.transactional-id",
                        "topic." + outbox.topic("statistics") + ".operations",
                        "topic." + outbox.topic("statistics") + ".partitions",
                        "topic." + outbox.topic("statistics") + ".max.message.bytes",
                        "topic." + outbox.settings().namespace().positionTopic() + ".policy");
    }

    @Test
    void aClockThatIsWrongIsFound(Stack stack, @TempDir Path directory) throws Exception {
        Clock wrong = Clock.fixed(Instant.now().minus(Duration.ofHours(1)), ZoneOffset.UTC);

        assertThat(examine(Outbox.initialised(stack, directory).settings(), wrong))
                .filteredOn(finding -> finding.subject().equals("clock"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.WARNING));
    }

    private static List<String> errors(RelaySettings settings) throws InterruptedException {
        return examine(settings, Clock.systemUTC()).stream()
                .filter(finding -> finding.severity() == Severity.ERROR)
                .map(Finding::subject)
                .toList();
    }

    private static List<Finding> examine(RelaySettings settings, Clock clock) throws InterruptedException {
        return new Doctor(settings, clock).examine(CatalogReader.read(settings.catalog()));
    }
}

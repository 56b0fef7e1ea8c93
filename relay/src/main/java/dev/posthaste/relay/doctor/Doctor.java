package dev.posthaste.relay.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.apache.kafka.common.KafkaException;

import dev.posthaste.relay.GapCheck;
import dev.posthaste.relay.HaltException;
import dev.posthaste.relay.HaltReason;
import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.publishing.AdminCalls;
import dev.posthaste.relay.publishing.PartitionMemory;
import dev.posthaste.relay.publishing.PositionStore;
import dev.posthaste.relay.source.SlotState;
import dev.posthaste.relay.source.SourceDatabase;
import dev.posthaste.schemas.catalog.Catalog;

/** Examines PostgreSQL, Kafka and what lies between, as the role the relay really runs as. Reads only. */
public final class Doctor {

    private static final Duration CLOCK_DIFFERENCE_MAX = Duration.ofSeconds(2);

    private final RelaySettings settings;
    private final Clock clock;

    /** Examines what these settings name. */
    public Doctor(RelaySettings settings, Clock clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /** Examines everything; a store that cannot be reached is a finding, not a failure. */
    public List<Finding> examine(Catalog catalog) throws InterruptedException {
        List<Finding> findings = new ArrayList<>();
        examinePostgres(findings);
        examineKafka(catalog, findings);
        return findings;
    }

    /**
     * Refuses to stream while something that every batch rests on is not as it must be; what position and slot tell is
     * the relay's own to refuse. It is the {@link dev.posthaste.relay.Preflight} of a relay.
     */
    public void preflight(Connection control) throws HaltException, SQLException, InterruptedException {
        Query query = new Query(control);
        List<Finding> findings = new ArrayList<>(new ServerExam(query).examine());
        findings.addAll(new OutboxExam(query, settings.publication()).examine());
        try (AdminCalls kafka = new AdminCalls(settings.kafka(), settings.requestTimeout())) {
            findings.addAll(KafkaExam.versions(kafka));
        }
        List<Finding> errors = findings.stream()
                .filter(finding -> finding.severity() == Finding.Severity.ERROR)
                .toList();
        if (!errors.isEmpty()) {
            Finding first = errors.get(0);
            throw new HaltException(
                    HaltReason.Cause.PREFLIGHT_FAILED,
                    first.subject() + ": " + first.what() + ": " + first.why()
                            + (errors.size() == 1 ? "" : ", and " + (errors.size() - 1) + " more"),
                    first.remedy() + "; posthaste doctor shows everything");
        }
    }

    private void examinePostgres(List<Finding> findings) {
        try (Connection connection = settings.database().connect("posthaste-doctor")) {
            Query query = new Query(connection);
            findings.add(Finding.ok("postgresql", "reached " + settings.database()));
            findings.addAll(new ServerExam(query).examine());
            findings.addAll(new OutboxExam(query, settings.publication()).examine());
            findings.addAll(
                    new SlotExam(query, settings.slot()).examine(new SourceDatabase(connection).slot(settings.slot())));
            findings.add(clockDifference(query));
        } catch (SQLException e) {
            findings.add(Finding.error(
                    "postgresql",
                    "cannot be examined: " + e.getMessage(),
                    "nothing can be relayed",
                    "check database.url, the password and pg_hba.conf"));
        }
    }

    private void examineKafka(Catalog catalog, List<Finding> findings) throws InterruptedException {
        try (AdminCalls kafka = new AdminCalls(settings.kafka(), settings.requestTimeout())) {
            findings.addAll(new KafkaExam(kafka, settings.namespace(), catalog, partitionsFirst()).examine());
            findings.add(KafkaExam.transactionalId(kafka, settings.publisher().transactionalId()));
            findings.add(position());
        } catch (KafkaException e) {
            findings.add(Finding.error(
                    "kafka",
                    "cannot be examined: " + e.getMessage(),
                    "nothing can be relayed",
                    "check kafka.bootstrapServers and kafka.properties"));
        }
    }

    /** Nothing where it cannot be read; why is told by the findings on PostgreSQL. */
    private Map<String, Integer> partitionsFirst() {
        try (Connection connection = settings.database().connect("posthaste-doctor")) {
            return new PartitionMemory(connection).all();
        } catch (SQLException e) {
            return Map.of();
        }
    }

    private Finding noPosition() {
        return Finding.error(
                "position",
                "there is none for slot " + settings.slot(),
                "a relay halts without it",
                "posthaste init for a new outbox; posthaste repair for one that published");
    }

    /** The position against slot and database, by the very rule the relay applies before it streams. */
    private Finding position() {
        try (Connection connection = settings.database().connect("posthaste-doctor")) {
            SourceDatabase database = new SourceDatabase(connection);
            Optional<SlotState> slot = database.slot(settings.slot()); // before the position, which only grows
            var position = new PositionStore(settings.publisher()).read();
            if (position.isEmpty()) {
                return noPosition();
            }
            var unused = GapCheck.refuse(settings, slot, position.get(), database);
            return Finding.ok(
                    "position",
                    "batch " + position.get().batch() + ", " + position.get().lastCommit() + ", no gap to the slot");
        } catch (HaltException e) {
            return Finding.error(
                    "position." + e.reason().cause(),
                    e.reason().detail(),
                    "messages would be missed or doubled: the relay halts",
                    e.reason().remedy());
        } catch (IllegalArgumentException e) {
            return Finding.error(
                    "position",
                    String.valueOf(e.getMessage()),
                    "the relay halts",
                    "run the version that wrote it, or newer");
        } catch (SQLException e) {
            return Finding.error(
                    "position",
                    "cannot be compared with the slot: " + e.getMessage(),
                    "a gap may be there",
                    "see the findings above");
        }
    }

    private Finding clockDifference(Query query) throws SQLException {
        Instant before = clock.instant();
        String text = query.text("SELECT extract(epoch FROM clock_timestamp())::text");
        double database = Double.parseDouble(String.valueOf(text));
        // Kafka tells no time of its brokers, and nothing here counts on it.
        Duration difference = Duration.ofMillis(Math.abs((long) (database * 1000) - before.toEpochMilli()));
        return difference.compareTo(CLOCK_DIFFERENCE_MAX) <= 0
                ? Finding.ok("clock", "differs from the database's by " + difference.toMillis() + " ms")
                : Finding.warning(
                        "clock",
                        "differs from the database's by " + difference.toMillis() + " ms",
                        "the lease counts on the database's clock alone, but ages and logs of two machines cannot be compared",
                        "run NTP on both");
    }
}

package dev.posthaste.relay.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.relay.Outbox;
import dev.posthaste.relay.Relay;
import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.RelayState;
import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.relay.publishing.PositionStore;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** {@code init}, {@code status} and {@code relay} through the command line, on the real stack. */
@PosthasteStack
class CommandsTest {

    /** Nobody listens on it: it is privileged, and the servers take high ones. */
    private static final String NOBODY = "127.0.0.1:1";

    @TempDir
    private Path directory;

    private Outbox outbox;
    private RelaySettings settings;

    @BeforeEach
    void takeAnOutbox(Stack stack) {
        outbox = Outbox.bare(stack, directory);
        settings = outbox.settings();
    }

    @Test
    void initSaysWhatItMadeAndTheSecondRunFindsAllOfItAndChangesNothing() {
        Cli first = init();

        assertThat(first.exitCode()).as(first.err()).isEqualTo(ExitCode.OK);
        assertThat(first.err()).isEmpty();
        assertThat(first.out())
                .contains("made   schema outbox: ", "made   slot " + settings.slot() + " publishes to namespace ")
                .contains("made   slot " + settings.slot() + " at ", "made   first position, ");
        for (String handler : List.of("due-notice", "statistics")) {
            for (String suffix : List.of("", ".retry", ".dlt")) {
                assertThat(first.outLines()).contains("made   topic " + outbox.topic(handler) + suffix);
            }
        }
        assertThat(first.outLines())
                .contains("made   topic " + settings.namespace().positionTopic());
        List<String> made = everything();

        Cli second = init();

        assertThat(second.exitCode()).isEqualTo(ExitCode.OK);
        assertThat(second.outLines()).hasSameSizeAs(first.outLines()).allMatch(line -> line.startsWith("there  "));
        assertThat(everything()).isEqualTo(made);
    }

    @Test
    void initMakesTheInboxWhereAskedTo() {
        assertThat(init("--inbox").out()).contains("made   schema inbox: ");
        assertThat(init("--inbox").outLines()).allMatch(line -> line.startsWith("there  "));
        assertThat(outbox.number("SELECT count(to_regclass('inbox.delivery'))")).isOne();
    }

    @Test
    void initRefusesABadCatalogWithEveryFindingAndMakesNothing() throws IOException {
        Files.writeString(outbox.catalog().resolve("handlers/relay.yaml"), "handler: relay\n");
        Files.writeString(outbox.catalog().resolve("events/library.other.yaml"), "type: library.other\nkind: wish\n");

        Cli run = init();

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .startsWith("posthaste init: the catalog has ")
                .contains("handlers/relay.yaml: ", "events/library.other.yaml: ", "kind", "owner", "versions")
                .doesNotContain("\tat ");
        assertThat(outbox.number("SELECT count(to_regclass('outbox.message'))")).isZero();
    }

    @Test
    void aRefusedStepIsToldInOneLineAndExitsWithOne() {
        assertThat(init().exitCode()).isEqualTo(ExitCode.OK);

        Cli run = init("--slot", "another_slot");

        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.errLines()).hasSize(1);
        assertThat(run.err())
                .startsWith("posthaste init: slot " + settings.slot() + " publishes to namespace ")
                .contains("already", "relay.source");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--partitions=0", "--partitions=many", "--replication-factor=0"})
    void anOptionThatMakesNoSenseIsRefusedBeforeAnythingIsMade(String option) {
        Cli run = init(option);

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains(option.split("=")[0], option.split("=")[1]);
        assertThat(outbox.number("SELECT count(to_regclass('outbox.message'))")).isZero();
    }

    @Test
    void statusShowsWhatWaitsAndExitsWithOneWhileNobodyLeads() {
        init();
        outbox.insert(3, "copy-1");

        Cli run = status();

        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains("outbox    " + settings.namespace() + " in " + settings.database() + ", slot ")
                .contains("leader    none yet")
                .contains("position  batch 0, all up to ")
                .contains("lag       3 messages wait, the oldest for ")
                .contains("slot      idle, confirmed ", " of WAL (reserved)");
        for (String suffix : List.of("", ".retry", ".dlt")) {
            assertThat(run.out()).containsPattern("\n" + outbox.topic("due-notice") + suffix + " +[36] +0\n");
        }
    }

    @Test
    void statusShowsTheLeaderAndExitsWithZeroWhileItStreams() throws Exception {
        init();
        Relay relay = new Relay(
                settings, control -> {}, "the-leader/1", Clock.systemUTC(), new RelayMeters(new SimpleMeterRegistry()));
        relay.start();
        try {
            await().atMost(Duration.ofSeconds(30)).until(() -> relay.state() instanceof RelayState.Streaming);
            outbox.insert(5, "copy-1");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> outbox.number("SELECT messages FROM outbox.pending_summary()") == 0);

            Cli run = status();

            assertThat(run.exitCode()).as(run.out()).isEqualTo(ExitCode.OK);
            assertThat(run.out())
                    .contains("leader    the-leader/1, fence ", "lag       nothing waits")
                    .contains("slot      streamed by walsender ")
                    .containsPattern("position  batch [1-9]")
                    .containsPattern(outbox.topic("statistics") + " +[36] +[1-9]");
        } finally {
            assertThat(relay.stop(Duration.ofSeconds(30))).isTrue();
        }
        assertThat(status().out()).contains("leader    none; the last was the-leader/1");
        assertThat(status().exitCode()).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void statusNamesAMissingTopicAndAMissingSlot() {
        init();
        outbox.sql("SELECT pg_drop_replication_slot('" + settings.slot() + "')");

        Cli run = status("--namespace", "nobodys");

        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.out())
                .contains("slot      missing", "position  none: run posthaste init")
                .containsPattern("nobodys\\.due-notice +missing: run posthaste init");
    }

    @Test
    void statusOfADatabaseWithoutOutboxSaysWhatToDo() {
        Cli run = status();

        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.errLines()).hasSize(1);
        assertThat(run.err()).contains("has no outbox", "posthaste init");
    }

    @ParameterizedTest
    @ValueSource(strings = {"init", "status"})
    void anUnreachablePostgresIsToldInOneLineAndExitsWithThree(String command) {
        Cli run = run(command, "--database", "postgresql://relay@" + NOBODY + "/library");

        assertThat(run.exitCode()).isEqualTo(ExitCode.STORE_AWAY);
        assertThat(run.out()).isEmpty();
        assertThat(run.errLines()).hasSize(1);
        assertThat(run.err())
                .startsWith("posthaste " + command + ": PostgreSQL: ")
                .contains(NOBODY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"init", "status"})
    void anUnreachableKafkaIsToldInOneLineAndExitsWithThree(String command) {
        init();

        Cli run = run(command, "--kafka", NOBODY);

        assertThat(run.exitCode()).isEqualTo(ExitCode.STORE_AWAY);
        assertThat(run.errLines()).hasSize(1);
        assertThat(run.err()).startsWith("posthaste " + command + ": Kafka: ").contains(NOBODY, "2000 ms");
    }

    @Test
    void initAsARoleWithoutTheRightsSaysWhichItNeedsAndMakesNothing() {
        String role = "plain_" + settings.slot();
        outbox.sql("CREATE ROLE " + role + " LOGIN PASSWORD 'plain'");

        Cli run = init(
                "--database",
                "postgresql://" + role + ":plain@" + settings.database().host() + ":"
                        + settings.database().port() + "/" + settings.database().name());

        outbox.sql("DROP ROLE " + role);
        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.errLines()).hasSize(1);
        assertThat(run.err())
                .startsWith("posthaste init: role " + role + " may not make what init makes: ")
                .contains("permission denied", "owner of database", "CREATEROLE", "REPLICATION");
        assertThat(outbox.number("SELECT count(to_regclass('outbox.message'))")).isZero();
    }

    @Test
    void doctorPrintsFindingsForPeopleOrAsJsonAndExitsWithOneOnAnError() throws IOException {
        assertThat(run("doctor").exitCode()).isEqualTo(ExitCode.FAILED);
        init();

        Cli people = run("doctor");
        Cli json = run("doctor", "--json");

        assertThat(people.exitCode()).as(people.out()).isEqualTo(ExitCode.OK);
        assertThat(people.out()).contains("ok       slot: ", "warning  ", "         why:  ", "         mend: ");
        assertThat(json.exitCode()).isEqualTo(ExitCode.OK);
        JsonNode findings = new ObjectMapper().readTree(json.out());
        assertThat(findings.size()).isGreaterThan(20);
        assertThat(findings.get(0).fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder("severity", "subject", "what", "why", "remedy");
    }

    @Test
    void quarantineListNarrowsShowTellsWhoDidWhatAndWrongOptionsAreRefused() {
        init();
        outbox.sql("INSERT INTO outbox.message (kind, type, schema_version, payload) "
                + "VALUES ('integration-event', 'library.unheard-of', 1, '{}')");
        outbox.sql(
                "INSERT INTO outbox.quarantined (message_id, created_at, handler, cause, last_error, fence, next_attempt) "
                        + "SELECT id, created_at, h, c, 'x', 1, now() FROM outbox.message, "
                        + "(VALUES ('*', 'UNKNOWN_TYPE'), ('statistics', 'TOO_LARGE')) v (h, c)");
        outbox.sql(
                "INSERT INTO outbox.dispatch_batch (slot, batch, attempt, fence, position, catalog_version, staged, message_ids) "
                        + "SELECT 'other', 1, 1, 1, '0/1', 'c', tstzrange(created_at, created_at, '[]'), ARRAY[id] FROM outbox.message");
        String id = outbox.ids().get(0).toString();

        assertThat(quarantine("list").out()).contains("2 shown", ", next at ");
        assertThat(quarantine("list", "--limit", "1").out()).contains("1 shown, and there are more");
        assertThat(quarantine("list", "--cause", "TOO_LARGE").out()).contains("statistics", "1 shown");
        assertThat(quarantine("list", "--handler", "*").out()).contains("UNKNOWN_TYPE", "1 shown");
        assertThat(quarantine("list", "--handler", "due-notice").out())
                .contains("nothing is quarantined by these options");
        assertThat(quarantine("list", "--until", "2020-01-01T00:00:00Z").out()).contains("nothing is quarantined");
        assertThat(quarantine("list", "--handler", "nope").err())
                .contains("--handler is nope", "no such handler", "[due-notice, statistics]");
        assertThat(quarantine("list", "--handler", "nope").exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(quarantine("list", "--state", "gone").exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(quarantine("discard", id, "--handler", "*", "--actor", "posthaste-relay", "--reason", "r")
                        .err())
                .contains("the relay's own name");

        assertThat(quarantine("discard", id, "--handler", "*", "--actor", "ada", "--reason", "staged by mistake")
                        .exitCode())
                .isEqualTo(ExitCode.OK);
        assertThat(quarantine("list", "--state", "discarded").out()).contains("*  discarded", "1 shown");
        assertThat(quarantine("show", id).out())
                .contains("*  discarded", "statistics  quarantined")
                .containsPattern(
                        "\\n20\\S+Z  discard for \\* by ada: staged by mistake\n    it answered UNKNOWN_TYPE: x");
    }

    @Test
    void releaseOfAllPublishesWhatCanBeAndNamesWhatStays() throws Exception {
        init();
        outbox.insert(3, "copy-1");
        outbox.sql("INSERT INTO outbox.message (kind, type, schema_version, payload) "
                + "VALUES ('integration-event', 'library.unheard-of', 1, '{}')");
        outbox.sql("INSERT INTO outbox.quarantined (message_id, created_at, handler, cause, last_error, fence) "
                + "SELECT id, created_at, 'statistics', 'TOO_LARGE', 'x', 1 FROM outbox.message");
        outbox.sql(
                "INSERT INTO outbox.dispatch_batch (slot, batch, attempt, fence, position, catalog_version, staged, message_ids) "
                        + "SELECT 'other', 1, 1, 1, '0/1', 'c', tstzrange(min(created_at), max(created_at), '[]'), array_agg(id) FROM outbox.message");
        List<String> options = List.of("--handler", "statistics", "--actor", "ada", "--reason", "the limit is raised");

        Cli run = quarantine(
                "release", Stream.concat(Stream.of("--all"), options.stream()).toArray(String[]::new));

        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.FAILED);
        assertThat(run.out()).contains("library.unheard-of is not in the catalog", "released 3 for statistics; 1 stay");
        assertThat(outbox.idsOn("statistics")).hasSize(3).isEqualTo(outbox.ids().subList(0, 3));
        assertThat(outbox.idsOn("due-notice")).isEmpty();
        assertThat(outbox.number("SELECT count(*) FROM outbox.audit WHERE actor = 'ada'"))
                .isEqualTo(3);
        assertThat(quarantine("release", options.toArray(String[]::new)).err()).contains("or --all");
    }

    private Cli quarantine(String command, String... more) {
        List<String> all = arguments("quarantine", more);
        all.add(1, command);
        return Cli.run(all.toArray(String[]::new));
    }

    @Test
    void helpIsTheSameAsTheOption() {
        assertThat(Cli.run("help").out()).isEqualTo(Cli.run("--help").out());
        assertThat(Cli.run("help", "quarantine", "list").out())
                .isEqualTo(Cli.run("quarantine", "list", "--help").out());
        assertThat(Cli.run("help", "nope").exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(Cli.run("help", "nope").err()).contains("no command nope", "doctor");
    }

    @Test
    void verboseAddsTheCause() {
        Cli run = run("status", "--database", "postgresql://relay@" + NOBODY + "/library", "--verbose");

        assertThat(run.exitCode()).isEqualTo(ExitCode.STORE_AWAY);
        assertThat(run.errLines().get(0)).startsWith("posthaste status: PostgreSQL: ");
        assertThat(run.err()).contains("org.postgresql.util.PSQLException", "\tat ");
        assertThat(Cli.run(Stream.concat(Stream.of("--verbose"), arguments("status", "--kafka", "no port").stream())
                                .toArray(String[]::new))
                        .err())
                .contains("UsageException");
    }

    @Test
    void aRefusedPasswordIsToldWithoutShowingIt() {
        String url = settings.database().host() + ":" + settings.database().port() + "/"
                + settings.database().name();

        Cli inUrl = run("status", "--database", "postgresql://postgres:not-the-secret@" + url, "--verbose");
        Cli mistyped = run("status", "--databse", "postgresql://postgres:not-the-secret@" + url);
        Cli inParameter = run("status", "--databse=jdbc:postgresql://" + url + "?user=a&password=not-the-secret");

        assertThat(inUrl.exitCode()).isEqualTo(ExitCode.STORE_AWAY);
        assertThat(inUrl.err()).contains("password authentication failed");
        assertThat(mistyped.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(List.of(inUrl, mistyped, inParameter))
                .allSatisfy(run -> assertThat(run.out() + run.err()).doesNotContain("not-the-secret"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"init", "status", "relay"})
    void wrongSettingsAreToldInOneLineAndExitWithTwo(String command) throws IOException {
        Path config = Files.writeString(directory.resolve("wrong.yaml"), "leese: 3s\n");
        assertThat(Cli.run(command).errLines())
                .containsExactly("posthaste " + command + ": namespace is not set; set it in the settings file, as"
                        + " POSTHASTE_NAMESPACE, or on the command line");

        Cli run = run(command, "--config", config.toString());

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(run.errLines())
                .containsExactly("posthaste " + command + ": " + config + ": leese is no setting; did you mean lease?");
        assertThat(run(command, "--catalog", directory.resolve("nowhere").toString())
                        .exitCode())
                .isEqualTo(ExitCode.USAGE);
    }

    @Test
    void aKafkaPropertyWithAnImpossibleValueIsAWrongSetting() throws IOException {
        Path config = Files.writeString(
                directory.resolve("wrong.yaml"), "kafka: {properties: {security.protocol: TELEPATHY}}\n");

        Cli run = run("status", "--config", config.toString());

        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains("TELEPATHY", "security.protocol");
    }

    @Test
    void aRelayWhosePortIsTakenSaysSoAndExitsWithTwo() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path config =
                    Files.writeString(directory.resolve("port.yaml"), "http: {port: " + taken.getLocalPort() + "}\n");

            Cli run = run("relay", "--config", config.toString());

            assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(run.errLines()).hasSize(1);
            assertThat(run.err()).contains("http.port is " + taken.getLocalPort(), "127.0.0.1");
        }
    }

    @Test
    void noOutputShowsAPayload() throws Exception {
        init();
        outbox.sql("INSERT INTO outbox.message (kind, type, schema_version, key, payload) VALUES"
                + " ('integration-event', '" + Outbox.TYPE + "', 1, 'k', '{\"diagnosis\": \"measles\"}')");

        assertThat(status().out() + init().out()).doesNotContain("measles", "diagnosis");
    }

    /** All that init makes, with the places that move when something is written. */
    private List<String> everything() {
        List<String> all = new ArrayList<>(outbox.column("SELECT oid::text FROM pg_class WHERE relnamespace IN"
                + " ('outbox'::regnamespace, 'relay'::regnamespace) ORDER BY oid"));
        all.addAll(outbox.column("SELECT slot_name || confirmed_flush_lsn FROM pg_replication_slots WHERE slot_name = '"
                + settings.slot() + "'"));
        all.addAll(outbox.column("SELECT slot || namespace || registered_at FROM relay.source"));
        all.addAll(outbox.column("SELECT pubname || oid FROM pg_publication"));
        all.add(new PositionStore(settings.kafka(), settings.namespace(), settings.slot(), Duration.ofSeconds(10))
                .read()
                .toString());
        return all;
    }

    private Cli init(String... more) {
        return run("init", more);
    }

    private Cli status(String... more) {
        return run("status", more);
    }

    private Cli run(String command, String... more) {
        return Cli.run(arguments(command, more).toArray(String[]::new));
    }

    /** What the caller does not say comes from this test's outbox. */
    private List<String> arguments(String command, String... more) {
        List<String> given = List.of(more);
        List<String> all = new ArrayList<>(List.of(command));
        add(
                all,
                given,
                "--database",
                "postgresql://" + settings.database().user() + ":"
                        + settings.database().password() + "@"
                        + settings.database().host() + ":"
                        + settings.database().port() + "/" + settings.database().name());
        add(all, given, "--kafka", settings.kafka().bootstrapServers());
        add(all, given, "--catalog", outbox.catalog().toString());
        add(all, given, "--namespace", settings.namespace().name());
        add(all, given, "--slot", settings.slot());
        add(all, given, "--config", shortTimeout());
        all.addAll(given);
        return all;
    }

    private static void add(List<String> all, List<String> given, String option, String value) {
        if (!given.contains(option)) {
            all.addAll(List.of(option, value));
        }
    }

    private String shortTimeout() {
        try {
            return Files.writeString(directory.resolve("timeout.yaml"), "requestTimeout: 2s\n")
                    .toString();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}

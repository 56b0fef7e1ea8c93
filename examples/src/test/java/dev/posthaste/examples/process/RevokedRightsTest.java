package dev.posthaste.examples.process;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.EmbeddedKafka;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.ServerSettings;

import static org.assertj.core.api.Assertions.assertThat;

/** A relay process that loses its credentials or its rights while it streams. */
@PosthasteStack
class RevokedRightsTest {

    private static final ServerSettings WITH_ACLS = ServerSettings.defaults()
            .withOptions(Map.of(
                    "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                    "allow.everyone.if.no.acl.found", "true"));

    @TempDir
    private Path directory;

    @Test
    @ReportedCase(20)
    void credentialsThatAreRevokedShowAsTheCauseAndGivenBackItGoesOn(PostgresServer postgres) throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.launch(WITH_ACLS);
                Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            ProcessOutbox outbox = ProcessOutbox.initialised(new OwnStack(postgres, kafka));
            try (RelayProcess relay = RelayProcess.start(directory, outbox.environment())) {
                Revocation revocation = new Revocation(relay, outbox);
                String role = outbox.role();

                revocation.show(
                        "password",
                        "password authentication failed",
                        () -> {
                            outbox.sql("ALTER ROLE " + role + " PASSWORD 'another'");
                            endSessions(outbox);
                        },
                        () -> outbox.sql("ALTER ROLE " + role + " PASSWORD '" + ProcessOutbox.PASSWORD + "'"));
                revocation.show(
                        "login",
                        "not permitted to log in",
                        () -> {
                            outbox.sql("ALTER ROLE " + role + " NOLOGIN");
                            endSessions(outbox);
                        },
                        () -> outbox.sql("ALTER ROLE " + role + " LOGIN"));
                revocation.show(
                        "writing evidence",
                        "dispatch_batch",
                        () -> outbox.sql("REVOKE INSERT ON outbox.dispatch_batch FROM posthaste_relay"),
                        () -> outbox.sql("GRANT INSERT ON outbox.dispatch_batch TO posthaste_relay"));

                AclBinding denial = denyWriting(outbox.namespace() + ".statistics");
                revocation.show(
                        "writing a topic",
                        outbox.namespace() + ".statistics",
                        () -> admin.createAcls(List.of(denial)).all().get(),
                        () -> admin.deleteAcls(List.of(denial.toFilter())).all().get());
                outbox.requireOnEveryTopic(revocation.last);
                outbox.requireProvedOnce(revocation.last);
                assertThat(relay.process().err())
                        .doesNotContain("fault of Posthaste", "\tat ", ProcessOutbox.PASSWORD, ProcessOutbox.SECRET);
            }
        }
    }

    private static AclBinding denyWriting(String topic) {
        return new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                new AccessControlEntry("User:*", "*", AclOperation.WRITE, AclPermissionType.DENY));
    }

    private static void endSessions(ProcessOutbox outbox) {
        assertThat(outbox.number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = '"
                        + outbox.role() + "'"))
                .isPositive();
    }

    /** Takes something from a relay, waits until it says so, and gives it back. */
    private static final class Revocation {

        private final RelayProcess relay;
        private final ProcessOutbox outbox;
        private int last;

        Revocation(RelayProcess relay, ProcessOutbox outbox) {
            this.relay = relay;
            this.outbox = outbox;
        }

        void show(String what, String cause, WatchedOutage.Act revoke, WatchedOutage.Act giveBack) throws Exception {
            relay.awaitStreaming();
            insert();
            outbox.awaitSettled();
            revoke.run();
            long revoked = System.nanoTime();
            insert();
            relay.awaitHealth(503, cause);
            System.out.printf(
                    "revoked: %s; the cause shows after %d ms: %s%n",
                    what,
                    (System.nanoTime() - revoked) / 1_000_000,
                    relay.ready().body());
            assertThat(relay.live().status()).isEqualTo(200);
            giveBack.run();
            outbox.awaitSettled();
        }

        private void insert() {
            outbox.insert(last + 1, last + 10);
            last += 10;
        }
    }
}

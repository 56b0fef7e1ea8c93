package dev.posthaste.consumer;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.posthaste.consumer.inbox.Arrival;
import dev.posthaste.consumer.inbox.DeliveryId;
import dev.posthaste.consumer.inbox.FailedAttempt;
import dev.posthaste.consumer.inbox.Fate;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.PostgresInbox;
import dev.posthaste.consumer.inbox.StoredRecord;
import dev.posthaste.consumer.inbox.Verdict;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Who may run and who has to wait, asked of the inbox itself, so that two members can meet as the test wants it. */
@PosthasteStack
class InboxOrderTest {

    private static final String MAIN = "library.due-notice";
    private static final String RETRY = "library.due-notice.retry";
    private static final byte[] KEY = "ada".getBytes(StandardCharsets.UTF_8);
    private static final Instant STAGED = Instant.now();

    private final List<UUID> ids = new ArrayList<>();
    private final InboxStore inbox = new PostgresInbox("due-notice", "one", "host", Duration.ofSeconds(10), 3);
    private final InboxStore other = new PostgresInbox("due-notice", "other", "host", Duration.ofSeconds(10), 3);
    private Scene scene;
    private Connection connection;
    private Connection elsewhere;

    @BeforeEach
    void open(Stack stack) throws Exception {
        scene = Scene.open(stack, 1);
        connection = stack.postgres().connect(scene.database);
        connection.setAutoCommit(false);
        elsewhere = stack.postgres().connect(scene.database);
        elsewhere.setAutoCommit(false);
        for (int i = 0; i < 10; i++) {
            ids.add(UUID.randomUUID());
        }
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        elsewhere.close();
        scene.close();
    }

    /** The n-th message of the key, as it comes on the main topic. */
    private Arrival first(int n) {
        return arrival(n, 1, MAIN, n);
    }

    private Arrival arrival(int n, int attempt, String topic, long offset) {
        return new Arrival(new DeliveryId("", ids.get(n), STAGED), attempt, false, KEY, topic, 0, offset);
    }

    private static StoredRecord record() {
        return new StoredRecord(KEY, new byte[1], List.of());
    }

    private void fail(InboxStore by, Connection on, Arrival arrival) throws SQLException {
        Fate retry = new Fate.Retry(Duration.ofHours(1));
        assertThat(by.fail(on, new FailedAttempt(arrival, 1, 0, retry, "X", "for the test", true, record(), null)))
                .isTrue();
    }

    /** Claims and keeps, without a commit. */
    private InboxStore.Claim claim(InboxStore by, Connection on, Arrival... arrivals) throws SQLException {
        InboxStore.Claim claim = by.claim(on, List.of(arrivals));
        for (int i = 0; i < arrivals.length; i++) {
            if (claim.verdicts().get(i) instanceof Verdict.Wait) {
                assertThat(by.keepBehind(on, arrivals[i], record(), 100)).isTrue();
            }
        }
        return claim;
    }

    private static List<String> names(InboxStore.Claim claim) {
        return claim.verdicts().stream()
                .map(verdict -> verdict.getClass().getSimpleName())
                .toList();
    }

    private void firstFailsAndFourWait() throws SQLException {
        fail(inbox, connection, first(0));
        connection.commit();
        assertThat(names(claim(inbox, connection, first(1), first(2), first(3), first(4))))
                .containsOnly("Wait");
        connection.commit();
    }

    private List<String> letGo() {
        return scene.query("SELECT message_id FROM inbox.outgoing WHERE emit_at <= now() ORDER BY place");
    }

    @Test
    void whatRunsBeforeInTheSameTransactionHoldsNobodyAndWhatDoesNotHoldsEveryone() throws Exception {
        firstFailsAndFourWait();
        Arrival zero = arrival(0, 2, RETRY, 100);
        Arrival one = arrival(1, 1, RETRY, 101);
        Arrival two = arrival(2, 1, RETRY, 102);

        assertThat(names(claim(inbox, connection, one, two))).as("0 waits").containsExactly("Wait", "Wait");
        connection.rollback();
        assertThat(names(claim(inbox, connection, zero, one, two)))
                .as("in order")
                .containsExactly("Run", "Run", "Run");
        connection.rollback();
        assertThat(names(claim(inbox, connection, zero, two, one)))
                .as("2 comes before 1")
                .containsExactly("Run", "Wait", "Run");
        connection.rollback();
        Arrival newcomer = first(5);
        assertThat(names(claim(inbox, connection, newcomer, zero, one, two, first(6))))
                .as("3 and 4 are not there, and 5 waits")
                .containsExactly("Wait", "Run", "Run", "Run", "Wait");
        connection.rollback();
        assertThat(names(claim(
                        inbox,
                        connection,
                        zero,
                        one,
                        two,
                        arrival(3, 1, RETRY, 103),
                        newcomer,
                        arrival(4, 1, RETRY, 104),
                        first(6))))
                .as("4 comes after 5, which waits for it, and so does 6 for 5")
                .containsExactly("Run", "Run", "Run", "Run", "Wait", "Run", "Wait");
        connection.rollback();
        assertThat(names(claim(inbox, connection, first(0), first(1), first(2), newcomer)))
                .as("the main topic's records come again")
                .containsExactly("Skip", "Wait", "Wait", "Wait");
        connection.rollback();
    }

    @Test
    void ofTwoTransactionsThatPassEachOtherTheOneThatCommitsLastLetsTheNextOneGo() throws Exception {
        fail(inbox, connection, first(0));
        connection.commit();
        InboxStore.Claim completes = claim(other, elsewhere, arrival(0, 2, RETRY, 100));
        InboxStore.Claim keeps = claim(inbox, connection, first(1));
        connection.commit();
        inbox.letGo(connection, keeps.keys());
        connection.commit();
        assertThat(letGo()).as("0 is not completed yet").isEmpty();
        elsewhere.commit();
        other.letGo(elsewhere, completes.keys());
        elsewhere.commit();
        assertThat(letGo()).containsExactly(ids.get(1).toString());

        completes = claim(other, elsewhere, arrival(1, 1, RETRY, 101));
        keeps = claim(inbox, connection, first(2));
        elsewhere.commit();
        other.letGo(elsewhere, completes.keys());
        elsewhere.commit();
        assertThat(letGo()).as("2 is not kept yet").isEmpty();
        connection.commit();
        inbox.letGo(connection, keeps.keys());
        connection.commit();
        assertThat(letGo()).containsExactly(ids.get(2).toString());
    }

    @Test
    void whoeverAProcessThatEndedDidNotLetGoIsLetGoLaterAndNobodyElse() throws Exception {
        firstFailsAndFourWait();
        assertThat(inbox.letGoOfAll(connection)).as("0 waits for its attempt").isZero();
        claim(inbox, connection, arrival(0, 2, RETRY, 100));
        connection.commit(); // and here it ends
        assertThat(inbox.letGoOfAll(connection)).isEqualTo(4);
        connection.commit();
        assertThat(letGo())
                .isEqualTo(ids.subList(1, 5).stream().map(UUID::toString).toList());
        assertThat(inbox.letGoOfAll(connection)).as("they are on their way").isZero();
    }

    @Test
    void aMessageThatASlowMemberKeepsMeanwhileIsNotOvertakenByTheNextOneInItsChunk() throws Exception {
        fail(other, elsewhere, first(0)); // its commit is on its way
        CompletableFuture<InboxStore.Claim> claims = CompletableFuture.supplyAsync(() -> {
            try {
                return inbox.claim(connection, List.of(first(0), first(1)));
            } catch (SQLException e) {
                throw new IllegalStateException(e.getSQLState(), e);
            }
        });
        await().atMost(Duration.ofSeconds(30))
                .until(() -> !scene.query("SELECT pid FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'")
                        .isEmpty());
        elsewhere.commit();
        assertThatThrownBy(claims::join).hasMessageContaining("40001"); // as any contention: it is done again
        connection.rollback();
        assertThat(names(claim(inbox, connection, first(0), first(1)))).containsExactly("Skip", "Wait");
    }

    @Test
    void asManyWaitBehindAMessageAsMayAndNotOneMore() throws Exception {
        firstFailsAndFourWait();
        inbox.claim(connection, List.of(first(5)));
        assertThat(inbox.keepBehind(connection, first(5), record(), 4)).isFalse();
        connection.rollback();
        assertThat(inbox.keepBehind(connection, first(4), record(), 4))
                .as("it is kept already")
                .isTrue();
        assertThat(inbox.keepBehind(connection, first(5), record(), 5)).isTrue();
    }
}

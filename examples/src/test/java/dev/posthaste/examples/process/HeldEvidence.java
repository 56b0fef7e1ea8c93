package dev.posthaste.examples.process;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Lets evidence wait, while it is told to, before its row is written. Used by one thread. */
final class HeldEvidence implements AutoCloseable {

    private static final int LOCK = 7_001;

    private final ProcessOutbox outbox;
    private final Connection session;

    private HeldEvidence(ProcessOutbox outbox, Connection session) {
        this.outbox = outbox;
        this.session = session;
    }

    static HeldEvidence of(ProcessOutbox outbox) throws SQLException {
        outbox.sql("CREATE FUNCTION hold_evidence() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN PERFORM pg_advisory_xact_lock_shared(" + LOCK + "); RETURN NEW; END $$");
        outbox.sql("CREATE TRIGGER hold_evidence BEFORE INSERT ON outbox.dispatch_batch"
                + " FOR EACH ROW EXECUTE FUNCTION hold_evidence()");
        return new HeldEvidence(outbox, outbox.connect());
    }

    void hold() {
        execute("SELECT pg_advisory_lock(" + LOCK + ")");
    }

    private String waiting() {
        return "SELECT count(*) FROM pg_stat_activity WHERE usename = '" + outbox.role()
                + "' AND application_name = 'posthaste-evidence' AND wait_event = 'advisory'";
    }

    /** Waits until evidence waits. */
    void awaitHeld() {
        outbox.awaitNumber(waiting(), 1);
    }

    /** Lets it go on. */
    void release() {
        execute("SELECT pg_advisory_unlock(" + LOCK + ")");
    }

    /** Waits until the session of a relay that died has noticed it. */
    void awaitGone() {
        outbox.awaitNoWalsender();
    }

    private void execute(String sql) {
        try (Statement statement = session.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    @Override
    public void close() throws SQLException {
        session.close();
    }
}

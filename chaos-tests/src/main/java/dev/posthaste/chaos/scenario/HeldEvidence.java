package dev.posthaste.chaos.scenario;

import java.sql.Connection;
import java.sql.SQLException;

import dev.posthaste.chaos.world.World;

/** Holds the relay up where it writes evidence, until closed. Used by one thread. */
final class HeldEvidence implements AutoCloseable {

    private static final String WAITING = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'relay'"
            + " AND application_name = 'posthaste-evidence' AND wait_event_type = 'Lock'";

    private final Connection session;

    private HeldEvidence(Connection session) {
        this.session = session;
    }

    /** Returns when evidence waits. */
    static HeldEvidence hold(Chaos chaos) throws SQLException, InterruptedException {
        HeldEvidence held = new HeldEvidence(chaos.world().servers().outbox().connect(World.OUTBOX));
        try {
            held.session.setAutoCommit(false);
            held.session.createStatement().execute("LOCK TABLE outbox.dispatch_batch IN SHARE MODE");
            chaos.await("evidence waits", () -> chaos.world().outboxNumber(WAITING) > 0);
            return held;
        } catch (SQLException | InterruptedException | RuntimeException e) {
            held.close();
            throw e;
        }
    }

    @Override
    public void close() throws SQLException {
        session.close();
    }
}

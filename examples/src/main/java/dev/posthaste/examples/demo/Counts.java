package dev.posthaste.examples.demo;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * How far the demo is, by the tables.
 *
 * @param committed messages in the outbox
 * @param pending messages without evidence
 * @param dueNotices effects of due-notice
 * @param borrowed effects of statistics
 */
record Counts(long committed, long pending, long dueNotices, long borrowed) {

    /** Reads on connections of the caller's; the handlers' tables may not be there yet. */
    static Counts read(Connection outbox, Connection circulation, Connection reporting) throws SQLException {
        return new Counts(
                Check.number(outbox, "SELECT count(*) FROM outbox.message"),
                Check.number(outbox, "SELECT messages FROM outbox.pending_summary()"),
                rows(circulation, "circulation.due_notice"),
                rows(reporting, "reporting.borrowed"));
    }

    private static long rows(Connection connection, String table) throws SQLException {
        boolean exists = Check.number(connection, "SELECT count(to_regclass('" + table + "'))") == 1;
        return exists ? Check.number(connection, "SELECT count(*) FROM " + table) : 0;
    }

    /** Whether every message has evidence and its two effects. */
    boolean isDone(long messages) {
        return committed == messages && pending == 0 && dueNotices >= messages && borrowed >= messages;
    }
}

package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

import dev.posthaste.consumer.inbox.InboxStore;

/** Transactions of a few statements of the inbox, on a connection that is given back at once. Thread-safe. */
final class InboxTransactions {

    private final DataSource dataSource;
    private final InboxStore inbox;
    private final int contentionRetriesMax;
    private final DeliveryMeters meters;

    InboxTransactions(HandlerSetup setup, InboxStore inbox, DeliveryMeters meters) {
        this.dataSource = setup.dataSource();
        this.inbox = inbox;
        this.contentionRetriesMax = setup.settings().contentionRetriesMax();
        this.meters = meters;
    }

    /** What is done in one. */
    @FunctionalInterface
    interface Statements<T> {
        T on(Connection connection) throws SQLException;
    }

    /** Runs it and commits; contention is tried again here, to a bound. */
    <T> T run(Statements<T> statements) throws SQLException {
        for (int retries = 0; ; retries++) {
            try {
                return runOnce(statements);
            } catch (SQLException e) {
                if (retries >= contentionRetriesMax || !SqlErrors.isContention(e)) {
                    throw e;
                }
                meters.contended();
            }
        }
    }

    private <T> T runOnce(Statements<T> statements) throws SQLException {
        try (Connection connection = connect()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                inbox.limitLocks(connection);
                T result = statements.on(connection);
                connection.commit();
                connection.setAutoCommit(autoCommit);
                return result;
            } catch (SQLException | RuntimeException e) {
                SqlErrors.rollback(connection, e);
                throw e;
            }
        }
    }

    /** Pools may throw what they like when the store is away. */
    private Connection connect() throws SQLException {
        try {
            return dataSource.getConnection();
        } catch (RuntimeException e) {
            throw new SQLException("the data source gave no connection", e);
        }
    }
}

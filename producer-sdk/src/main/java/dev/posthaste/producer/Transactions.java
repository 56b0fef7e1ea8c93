package dev.posthaste.producer;

import java.sql.Connection;
import java.sql.SQLException;

/** What a connection must be before anything is written on it. */
final class Transactions {

    private Transactions() {}

    /** Refuses a connection without a transaction to write in. */
    static void requireWritable(Connection connection, String caller) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(caller
                    + " needs the transaction of the business change, but the connection is in auto-commit mode: the"
                    + " message would be committed by itself, whatever becomes of the change. Call"
                    + " setAutoCommit(false), or call it inside the framework's transaction.");
        }
        if (connection.isReadOnly()) {
            throw new IllegalStateException(caller
                    + " writes, but the connection is read-only. Give it the connection of a transaction that may"
                    + " write.");
        }
    }
}

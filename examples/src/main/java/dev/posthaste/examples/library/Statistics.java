package dev.posthaste.examples.library;

import java.sql.PreparedStatement;
import java.sql.SQLException;

import dev.posthaste.consumer.Event;
import dev.posthaste.consumer.Handler;
import dev.posthaste.consumer.Transaction;

import static dev.posthaste.consumer.Handler.handler;

/** The handler statistics: notes that a copy was borrowed. */
public final class Statistics {

    private Statistics() {}

    /** The handler. */
    public static Handler statistics() {
        return handler("statistics")
                .on("library.loan-borrowed", 1, LoanBorrowed.class)
                .handle(Statistics::count);
    }

    private static void count(Event<LoanBorrowed> event, Transaction tx) throws SQLException {
        try (PreparedStatement insert = tx.connection()
                .prepareStatement(
                        "INSERT INTO reporting.borrowed (message_id, copy_id, loan_number) VALUES (?, ?, ?)")) {
            insert.setObject(1, event.id());
            insert.setString(2, event.payload().copyId());
            insert.setLong(3, event.payload().loanNumber());
            insert.executeUpdate();
        }
    }
}

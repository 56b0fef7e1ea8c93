package dev.posthaste.examples.library;

import java.sql.PreparedStatement;
import java.sql.SQLException;

import dev.posthaste.consumer.Event;
import dev.posthaste.consumer.Handler;
import dev.posthaste.consumer.Transaction;

import static dev.posthaste.consumer.Handler.handler;

/** The handler due-notice: notes when a loan must be back. */
public final class DueNotices {

    private DueNotices() {}

    // readme: handler
    /** The handler. */
    public static Handler dueNotice() {
        return handler("due-notice")
                .on("library.loan-borrowed", 1, LoanBorrowed.class)
                .handle(DueNotices::note);
    }

    private static void note(Event<LoanBorrowed> event, Transaction tx) throws SQLException {
        LoanBorrowed loan = event.payload();
        try (PreparedStatement insert = tx.connection()
                .prepareStatement(
                        "INSERT INTO circulation.due_notice (message_id, copy_id, loan_number, due_on) VALUES (?, ?, ?, ?)")) {
            insert.setObject(1, event.id());
            insert.setString(2, loan.copyId());
            insert.setLong(3, loan.loanNumber());
            insert.setObject(4, loan.dueOn());
            insert.executeUpdate();
        }
    }
    // end
}

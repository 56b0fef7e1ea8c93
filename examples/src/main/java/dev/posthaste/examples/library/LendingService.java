package dev.posthaste.examples.library;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.UUID;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;

import dev.posthaste.producer.Outbox;
import dev.posthaste.schemas.OutboxMessage;

/**
 * Lends copies: each loan is a row of its own table and a message in the outbox, in one transaction. The copy's row is
 * locked first, so that the loans of one copy are numbered in the order in which they commit. Thread-safe; the
 * connection is the caller's.
 */
public final class LendingService {

    private static final int LOAN_DAYS = 28;

    private final ObjectMapper json = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .build();
    private final Outbox outbox;

    /** Lends, and stages with that outbox. */
    public LendingService(Outbox outbox) {
        this.outbox = outbox;
    }

    /**
     * Lends a copy in the caller's transaction.
     *
     * @param messageId id of the message to stage
     */
    public void lend(Connection connection, UUID messageId, String copyId, String memberId) throws SQLException {
        LoanBorrowed loan = new LoanBorrowed(
                UUID.randomUUID(),
                copyId,
                memberId,
                nextLoanNumber(connection, copyId),
                LocalDate.now(ZoneOffset.UTC).plusDays(LOAN_DAYS));
        // readme: stage
        insert(connection, loan);
        outbox.stage(
                connection,
                OutboxMessage.event("library.loan-borrowed", 1)
                        .id(messageId)
                        .key(copyId)
                        .json(text(loan)));
        // end
    }

    private static long nextLoanNumber(Connection connection, String copyId) throws SQLException {
        try (PreparedStatement lock =
                connection.prepareStatement("INSERT INTO lending.copy AS c (copy_id, loans) VALUES (?, 1) "
                        + "ON CONFLICT (copy_id) DO UPDATE SET loans = c.loans + 1 RETURNING loans")) {
            lock.setString(1, copyId);
            try (ResultSet row = lock.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private static void insert(Connection connection, LoanBorrowed loan) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO lending.loan (loan_id, copy_id, member_id, loan_number, due_on) VALUES (?, ?, ?, ?, ?)")) {
            insert.setObject(1, loan.loanId());
            insert.setString(2, loan.copyId());
            insert.setString(3, loan.memberId());
            insert.setLong(4, loan.loanNumber());
            insert.setObject(5, loan.dueOn());
            insert.executeUpdate();
        }
    }

    private String text(LoanBorrowed loan) {
        try {
            return json.writeValueAsString(loan);
        } catch (JsonProcessingException e) { // a record of five plain fields
            throw new IllegalStateException(e);
        }
    }
}

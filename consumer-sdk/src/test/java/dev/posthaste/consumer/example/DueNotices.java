package dev.posthaste.consumer.example;

import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.LocalDate;
import javax.sql.DataSource;

import io.micrometer.core.instrument.MeterRegistry;

import dev.posthaste.consumer.Event;
import dev.posthaste.consumer.Handler;
import dev.posthaste.consumer.Outcome;
import dev.posthaste.consumer.PosthasteConsumer;
import dev.posthaste.consumer.Transaction;
import dev.posthaste.schemas.catalog.CatalogReader;

import static dev.posthaste.consumer.Handler.handler;

public final class DueNotices {

    public record LoanBorrowed(String copy, String member, LocalDate dueOn) {}

    /** The first version had no day; a loan took four weeks from when it happened. */
    public record LoanBorrowedV1(String copy, String member, LocalDate borrowedOn) {
        LoanBorrowed toNewest() {
            return new LoanBorrowed(copy, member, borrowedOn.plusWeeks(4));
        }
    }

    static final Handler DUE_NOTICE = handler("due-notice")
            .permanent(DateTimeException.class) // no other attempt would mend it
            .on("library.loan-borrowed", 2, LoanBorrowed.class)
            .on("library.loan-borrowed", 1, LoanBorrowedV1.class, LoanBorrowedV1::toNewest)
            .decide(DueNotices::note);

    /** Whatever it throws is tried again later, up to the bound; but for what is named permanent above. */
    private static Outcome note(Event<LoanBorrowed> event, Transaction tx) throws SQLException {
        LoanBorrowed loan = event.payload();
        try (PreparedStatement insert = tx.connection()
                .prepareStatement("INSERT INTO notice (member, due_on) SELECT name, ? FROM member WHERE name = ?")) {
            insert.setObject(1, loan.dueOn());
            insert.setString(2, loan.member());
            return insert.executeUpdate() == 1
                    ? Outcome.done()
                    : Outcome.dead("unknown-member", "the loan is somebody's who is no member here");
        }
    }

    public static PosthasteConsumer start(
            String bootstrapServers, DataSource dataSource, Path catalog, MeterRegistry meters) {
        PosthasteConsumer consumer = PosthasteConsumer.builder()
                .namespace("library")
                .bootstrapServers(bootstrapServers)
                .dataSource(dataSource)
                .catalog(CatalogReader.read(catalog))
                .meters(meters)
                .handler(DUE_NOTICE)
                .build();
        consumer.start();
        return consumer; // close() drains it: call it when the service stops
    }

    private DueNotices() {}
}

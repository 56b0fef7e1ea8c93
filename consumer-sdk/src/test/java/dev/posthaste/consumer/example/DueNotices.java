package dev.posthaste.consumer.example;

import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.time.LocalDate;
import javax.sql.DataSource;

import io.micrometer.core.instrument.MeterRegistry;

import dev.posthaste.consumer.Handler;
import dev.posthaste.consumer.PosthasteConsumer;
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
            .on("library.loan-borrowed", 2, LoanBorrowed.class)
            .on("library.loan-borrowed", 1, LoanBorrowedV1.class, LoanBorrowedV1::toNewest)
            .handle((event, tx) -> {
                try (PreparedStatement insert =
                        tx.connection().prepareStatement("INSERT INTO notice (member, due_on) VALUES (?, ?)")) {
                    insert.setString(1, event.payload().member());
                    insert.setObject(2, event.payload().dueOn());
                    insert.executeUpdate();
                }
            });

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

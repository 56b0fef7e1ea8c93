package dev.posthaste.consumer.example;

import java.sql.SQLException;
import java.time.Instant;
import javax.sql.DataSource;

import dev.posthaste.consumer.replay.DeadLetterQuery;
import dev.posthaste.consumer.replay.InboxDesk;
import dev.posthaste.consumer.replay.ReplayReport;
import dev.posthaste.consumer.replay.Selection;

public final class AfterTheOutage {

    public static ReplayReport replay(DataSource inbox, Instant from, Instant until, String actor) throws SQLException {
        InboxDesk desk = new InboxDesk(inbox);
        Selection selection = desk.select(DeadLetterQuery.of("due-notice")
                .withCode("ProviderAwayException")
                .withFailed(from, until));
        System.out.println(selection.size() + " " + selection.description());
        return desk.replay(selection, actor, "the provider is back", 50); // 50 a second
    }

    private AfterTheOutage() {}
}

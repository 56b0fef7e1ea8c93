package dev.posthaste.examples.demo;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import dev.posthaste.examples.demo.TopicContent.Seen;

/** Reads the outcome from the tables and the topics. No process is asked. */
final class Check {

    private final DemoStack stack;

    Check(DemoStack stack) {
        this.stack = stack;
    }

    Outcome read() throws SQLException {
        List<Seen> staged = new ArrayList<>();
        Set<UUID> undone = new HashSet<>();
        long loans;
        long unproved;
        try (Connection connection = stack.connect(DemoStack.OUTBOX_DATABASE)) {
            staged.addAll(seen(
                    connection,
                    "SELECT id, key, (payload ->> 'loanNumber')::bigint FROM outbox.message ORDER BY 2, 3"));
            seen(connection, "SELECT message_id, '', 0 FROM lending.to_be_rolled_back")
                    .forEach(row -> undone.add(row.id()));
            loans = number(connection, "SELECT count(*) FROM lending.loan");
            unproved = number(connection, "SELECT messages FROM outbox.pending_summary()");
        }
        Set<UUID> ids = new HashSet<>();
        staged.forEach(row -> ids.add(row.id()));
        Set<UUID> seenAnywhere = new HashSet<>(ids);
        List<Outcome.HandlerOutcome> handlers = List.of(
                handler("due-notice", DemoStack.CIRCULATION_DATABASE, "circulation.due_notice", ids, seenAnywhere),
                handler("statistics", DemoStack.REPORTING_DATABASE, "reporting.borrowed", ids, seenAnywhere));
        long undoneSeen = undone.stream().filter(seenAnywhere::contains).count();
        return new Outcome(ids.size(), loans, undone.size(), undoneSeen, unproved, handlers);
    }

    private Outcome.HandlerOutcome handler(
            String handler, String database, String table, Set<UUID> committed, Set<UUID> seenAnywhere)
            throws SQLException {
        List<Seen> onTopic = TopicContent.read(stack.kafka(), DemoStack.NAMESPACE + "." + handler);
        List<Seen> effects;
        try (Connection connection = stack.connect(database)) {
            effects = seen(connection, "SELECT message_id, copy_id, loan_number FROM " + table + " ORDER BY id");
        }
        Set<UUID> topicIds = ids(onTopic);
        Set<UUID> effectIds = ids(effects);
        seenAnywhere.addAll(topicIds);
        seenAnywhere.addAll(effectIds);
        long missing = committed.stream()
                .filter(id -> !topicIds.contains(id) || !effectIds.contains(id))
                .count();
        return new Outcome.HandlerOutcome(
                handler,
                topicIds.size(),
                effects.size(),
                onTopic.size() - topicIds.size(),
                missing,
                outOfOrder(onTopic) + outOfOrder(effects));
    }

    private static Set<UUID> ids(List<Seen> rows) {
        Set<UUID> ids = new HashSet<>();
        rows.forEach(row -> ids.add(row.id()));
        return ids;
    }

    /** The loans of one copy are numbered in the order of their commits. */
    static long outOfOrder(List<Seen> rows) {
        Map<String, Long> last = new HashMap<>();
        long wrong = 0;
        for (Seen row : rows) {
            Long before = last.put(row.copyId(), row.loanNumber());
            wrong += before != null && before >= row.loanNumber() ? 1 : 0;
        }
        return wrong;
    }

    private static List<Seen> seen(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<Seen> all = new ArrayList<>();
            while (rows.next()) {
                all.add(new Seen(rows.getObject(1, UUID.class), rows.getString(2), rows.getLong(3)));
            }
            return all;
        }
    }

    static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}

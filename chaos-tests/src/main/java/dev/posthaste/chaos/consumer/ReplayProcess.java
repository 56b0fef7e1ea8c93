package dev.posthaste.chaos.consumer;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;

import org.postgresql.ds.PGSimpleDataSource;

import dev.posthaste.consumer.replay.DeadLetterQuery;
import dev.posthaste.consumer.replay.InboxDesk;
import dev.posthaste.consumer.replay.Selection;

/** Replays all dead letters of a handler: a new selection, slowly, or the last one, to its end. */
public final class ReplayProcess {

    private static final int SLOWLY = 20;
    private static final int QUICKLY = 1_000;

    private ReplayProcess() {}

    /**
     * Replays.
     *
     * @param arguments a handler to select and replay, or none to go on with the last selection
     */
    public static void main(String[] arguments) throws SQLException, InterruptedException {
        DataSource inbox = inbox();
        InboxDesk desk = new InboxDesk(inbox);
        boolean anew = arguments.length > 0;
        Selection selection = anew
                ? desk.select(DeadLetterQuery.of(arguments[0]))
                : desk.selection(last(inbox)).orElseThrow();
        desk.replay(selection, "chaos", "the cause is mended", anew ? SLOWLY : QUICKLY);
    }

    private static DataSource inbox() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(System.getenv("CHAOS_INBOX_URL"));
        source.setUser(System.getenv("CHAOS_INBOX_USER"));
        source.setPassword(System.getenv("CHAOS_INBOX_PASSWORD"));
        return source;
    }

    private static UUID last(DataSource inbox) throws SQLException {
        try (Connection connection = inbox.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT replay_id FROM inbox.replay ORDER BY selected_at DESC LIMIT 1")) {
            row.next();
            return row.getObject(1, UUID.class);
        }
    }
}

package dev.posthaste.consumer.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Which namespace a handler of this inbox belongs to. Stateless. */
public final class HandlerNamespaces {

    private static final String CLAIM =
            "INSERT INTO inbox.handler (handler, namespace) VALUES (?, ?) ON CONFLICT (handler) DO NOTHING";

    private static final String LOOK_UP = "SELECT namespace FROM inbox.handler WHERE handler = ?";

    private HandlerNamespaces() {}

    /**
     * Claims a handler for a namespace, unless it is another's. On a connection in auto-commit.
     *
     * @return the namespace it belongs to
     */
    public static String claim(Connection connection, String handler, String namespace) throws SQLException {
        try (PreparedStatement claim = connection.prepareStatement(CLAIM)) {
            claim.setString(1, handler);
            claim.setString(2, namespace);
            claim.executeUpdate();
        }
        try (PreparedStatement query = connection.prepareStatement(LOOK_UP)) {
            query.setString(1, handler);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getString(1) : namespace; // deleted meanwhile: whoever asks next claims it
            }
        }
    }
}

package dev.posthaste.relay;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The source's entry in {@code relay.source}: which namespace a slot publishes to. */
final class Registration {

    private Registration() {}

    /**
     * Refuses to work for a slot that is registered for another namespace, or for none.
     *
     * @throws HaltException naming what is registered
     */
    static void require(Connection connection, RelaySettings settings) throws SQLException, HaltException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT namespace FROM relay.source WHERE slot = ?")) {
            query.setString(1, settings.slot());
            try (ResultSet rows = query.executeQuery()) {
                String registered = rows.next() ? rows.getString(1) : null;
                if (!settings.namespace().name().equals(registered)) {
                    throw new HaltException(
                            HaltReason.Cause.SOURCE_NOT_REGISTERED,
                            "slot " + settings.slot() + " is registered for "
                                    + (registered == null ? "no namespace" : "namespace " + registered) + ", not for "
                                    + settings.namespace(),
                            "run `posthaste init` with this slot and namespace, or correct the settings");
                }
            }
        }
    }
}

package dev.posthaste.relay.setup;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.output.MigrateResult;
import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.schemas.Migrations;
import dev.posthaste.schemas.Namespace;

/** Runs the numbered migrations with Flyway, makes the partitions ahead, and registers the source. */
public final class TableSetup {

    private static final String INSUFFICIENT_PRIVILEGE = "42501";
    private static final int CAUSES_MAX = 20;

    private final DatabaseSettings database;

    /** Works on that database, as a role that may create schemas and roles. */
    public TableSetup(DatabaseSettings database) {
        this.database = database;
    }

    /** Brings the outbox, its evidence, the relay's tables, the roles and the publication to the newest version. */
    public List<StepResult> migrateOutbox() throws SQLException, SetupException {
        return migrateSchema("outbox", Migrations.OUTBOX);
    }

    /** Brings the inbox to the newest version. */
    public List<StepResult> migrateInbox() throws SQLException, SetupException {
        return migrateSchema("inbox", Migrations.INBOX);
    }

    private List<StepResult> migrateSchema(String schema, String location) throws SQLException, SetupException {
        try {
            return List.of(migrate(schema, location), ensurePartitions(schema));
        } catch (SQLException | FlywayException e) {
            SQLException refused = refused(e);
            if (refused == null) {
                throw e;
            }
            throw new SetupException("role " + database.user() + " may not make what init makes: "
                    + String.valueOf(refused.getMessage()).lines().findFirst().orElse("")
                    + ". Run init as the owner of database " + database.name()
                    + " with CREATEROLE and REPLICATION, or as a superuser; the relay itself needs none of that");
        }
    }

    /** The refusal of PostgreSQL for want of a right; null: something else is wrong. */
    private static @Nullable SQLException refused(Throwable e) {
        return Stream.iterate(e, cause -> cause != null, Throwable::getCause)
                .limit(CAUSES_MAX)
                .filter(SQLException.class::isInstance)
                .map(SQLException.class::cast)
                .filter(cause -> INSUFFICIENT_PRIVILEGE.equals(cause.getSQLState()))
                .findFirst()
                .orElse(null);
    }

    private StepResult migrate(String schema, String location) {
        MigrateResult result = Flyway.configure()
                .dataSource(database.dataSource("posthaste-init"))
                .locations("classpath:" + location)
                .table("posthaste_" + schema + "_history")
                .createSchemas(false)
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .load()
                .migrate();
        String version = String.valueOf(
                result.targetSchemaVersion != null ? result.targetSchemaVersion : result.initialSchemaVersion);
        return result.migrationsExecuted > 0
                ? StepResult.made("schema " + schema + ": " + result.migrationsExecuted + " migrations, now at version "
                        + version)
                : StepResult.there("schema " + schema + " at version " + version);
    }

    private StepResult ensurePartitions(String schema) throws SQLException {
        try (Connection connection = database.connect("posthaste-init");
                PreparedStatement call = connection.prepareStatement("SELECT " + schema + ".ensure_partitions()");
                ResultSet row = call.executeQuery()) {
            row.next();
            int made = row.getInt(1);
            return made > 0
                    ? StepResult.made(schema + ": " + made + " daily partitions")
                    : StepResult.there(schema + ": daily partitions for the week ahead");
        }
    }

    /**
     * Notes that this slot publishes to this namespace.
     *
     * @throws SetupException if another slot does already: two must never publish to one topic unknowingly
     */
    public StepResult register(String slot, Namespace namespace) throws SQLException, SetupException {
        try (Connection connection = database.connect("posthaste-init");
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO relay.source (slot, namespace) VALUES (?, ?) ON CONFLICT DO NOTHING");
                PreparedStatement query = connection.prepareStatement(
                        "SELECT slot, namespace FROM relay.source WHERE slot = ? OR namespace = ?")) {
            insert.setString(1, slot);
            insert.setString(2, namespace.name());
            boolean made = insert.executeUpdate() == 1;
            query.setString(1, slot);
            query.setString(2, namespace.name());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                String text = "slot " + row.getString(1) + " publishes to namespace " + row.getString(2);
                if (!row.getString(1).equals(slot) || !row.getString(2).equals(namespace.name())) {
                    throw new SetupException(
                            text + " already; two slots must not share a namespace, nor one slot serve two."
                                    + " Choose another, or remove the row from relay.source once the old one is out of use");
                }
                return made ? StepResult.made(text) : StepResult.there(text);
            }
        }
    }
}

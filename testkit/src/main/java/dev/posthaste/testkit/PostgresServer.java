package dev.posthaste.testkit;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.UUID;
import javax.sql.DataSource;

import org.postgresql.ds.PGSimpleDataSource;

/** One running PostgreSQL server. Implementations are thread-safe. */
public interface PostgresServer extends AutoCloseable {

    /** The host to connect to. */
    String host();

    /** The port to connect to. */
    int port();

    /** The name of a superuser. */
    String superuser();

    /** That superuser's password. */
    String password();

    /** Ends the server and deletes its temporary data. A second call does nothing. */
    @Override
    void close();

    /** The JDBC URL of a database, without user and password. */
    default String jdbcUrl(String database) {
        return "jdbc:postgresql://" + host() + ":" + port() + "/" + database;
    }

    /** A source of new superuser connections to a database; it does not pool. */
    default DataSource dataSource(String database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(jdbcUrl(database));
        source.setUser(superuser());
        source.setPassword(password());
        return source;
    }

    /**
     * A new superuser connection to a database. The caller closes it.
     *
     * @throws SQLException when the server refuses it or is not running
     */
    default Connection connect(String database) throws SQLException {
        return dataSource(database).getConnection();
    }

    /**
     * Makes an empty database, so that a test has one of its own.
     *
     * @param prefix how the name begins: {@code [a-z][a-z0-9_]*}, 40 characters at most
     * @return the name, not used before on this server
     * @throws IllegalArgumentException for a prefix against that rule
     * @throws TestkitException when the server does not make it
     */
    default String createDatabase(String prefix) {
        if (!prefix.matches("[a-z][a-z0-9_]{0,39}")) {
            throw new IllegalArgumentException(
                    "Database prefix '" + prefix + "' is not [a-z][a-z0-9_]* of 40 characters at most.");
        }
        String unique = UUID.randomUUID().toString().replace("-", "").substring(0, 16);
        String name = prefix + "_" + unique.toLowerCase(Locale.ROOT);
        try (Connection connection = connect("postgres");
                var statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
            return name;
        } catch (SQLException e) {
            throw new TestkitException("Database " + name + " could not be made on port " + port() + ".", e);
        }
    }
}

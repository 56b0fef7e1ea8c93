package dev.posthaste.relay.source;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PreferQueryMode;

/**
 * How to reach the database of the outbox. {@code toString} keeps the password to itself.
 *
 * @param sslMode as pgjdbc names it: disable, allow, prefer, require, verify-ca, verify-full
 */
public record DatabaseSettings(
        String host,
        int port,
        String name,
        String user,
        @Nullable String password,
        String sslMode) {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(30);

    /**
     * Opens a connection that notices a dead server: it is refused after 5 s, an answer that takes over 30 s ends it.
     *
     * @param purpose shown in {@code pg_stat_activity} as the application's name
     */
    public Connection connect(String purpose) throws SQLException {
        return connect(purpose, SOCKET_TIMEOUT);
    }

    /** Opens a connection whose answers may take so long, a second at least. */
    public Connection connect(String purpose, Duration answerTimeout) throws SQLException {
        PGSimpleDataSource dataSource = dataSource(purpose);
        dataSource.setSocketTimeout((int) Math.max(1, answerTimeout.toSeconds()));
        return dataSource.getConnection();
    }

    /** Opens a connection that speaks the replication protocol. */
    public Connection connectForReplication(String purpose) throws SQLException {
        PGSimpleDataSource dataSource = dataSource(purpose);
        dataSource.setReplication("database");
        dataSource.setAssumeMinServerVersion("18");
        dataSource.setPreferQueryMode(PreferQueryMode.SIMPLE);
        return dataSource.getConnection();
    }

    /** Makes connections without a bound on an answer's time, for migrations. */
    public PGSimpleDataSource dataSource(String purpose) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setServerNames(new String[] {host});
        dataSource.setPortNumbers(new int[] {port});
        dataSource.setDatabaseName(name);
        dataSource.setUser(user);
        if (password != null) {
            dataSource.setPassword(password);
        }
        dataSource.setSslMode(sslMode);
        dataSource.setApplicationName(purpose);
        dataSource.setConnectTimeout((int) CONNECT_TIMEOUT.toSeconds());
        dataSource.setLoginTimeout((int) CONNECT_TIMEOUT.toSeconds());
        dataSource.setTcpKeepAlive(true);
        return dataSource;
    }

    @Override
    public String toString() {
        return user + "@" + host + ":" + port + "/" + name;
    }
}

package dev.posthaste.examples.library;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs one SQL statement, for those who have no psql at hand. */
@Command(
        name = "sql",
        description =
                "Run one SQL statement, where there is no psql. The defaults fit `posthaste demo --keep-running`.")
final class SqlCommand implements Callable<Integer> {

    private static final Pattern URL = Pattern.compile("postgresql://([^:@/]+):([^@/]*)@(.+)");

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--database",
            paramLabel = "URL",
            defaultValue = "postgresql://lending:lending@127.0.0.1:54329/library",
            description = "postgresql://user:password@host:port/database (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String database;

    @Parameters(paramLabel = "STATEMENT", description = "For example \"SELECT id, state FROM outbox.record\".")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String sql;

    @Override
    public Integer call() throws SQLException {
        Matcher url = URL.matcher(database);
        if (!url.matches()) {
            throw new IllegalArgumentException(
                    "--database is not of the form postgresql://user:password@host:port/database");
        }
        PrintWriter out = spec.commandLine().getOut();
        try (Connection connection =
                        DriverManager.getConnection("jdbc:postgresql://" + url.group(3), url.group(1), url.group(2));
                Statement statement = connection.createStatement()) {
            if (statement.execute(sql)) {
                print(statement.getResultSet(), out);
            } else {
                out.println(statement.getUpdateCount() + " rows");
            }
        }
        out.flush();
        return 0;
    }

    private static void print(ResultSet rows, PrintWriter out) throws SQLException {
        int columns = rows.getMetaData().getColumnCount();
        while (rows.next()) {
            for (int column = 1; column <= columns; column++) {
                out.print((column > 1 ? "  " : "") + rows.getMetaData().getColumnLabel(column) + "="
                        + rows.getString(column));
            }
            out.println();
        }
    }
}

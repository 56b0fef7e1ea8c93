package dev.posthaste.relay.cli;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.source.DatabaseSettings;

/**
 * Reads {@code postgresql://user:password@host:port/database?sslmode=…}, as {@code psql} has it, and the same behind
 * {@code jdbc:} with user and password as parameters. No error shows any part of the URL: it may be of the password.
 */
final class DatabaseUrl {

    private static final int DEFAULT_PORT = 5432;
    private static final int PORT_MAX = 65_535;
    private static final List<String> PARAMETERS = List.of("user", "password", "sslmode");
    private static final List<String> SSL_MODES =
            List.of("disable", "allow", "prefer", "require", "verify-ca", "verify-full");

    /** Not {@link java.net.URI}: it knows no host with an underscore, as Docker Compose names them. */
    private static final Pattern FORM = Pattern.compile("(?:jdbc:)?postgres(?:ql)?://"
            + "(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?"
            + "(?<host>[^:@/?#,\\[\\]]+|\\[[0-9a-fA-F:.]+\\])(?::(?<port>\\d{1,5}))?"
            + "/(?<database>[^/?#]+)(?:\\?(?<query>[^#]*))?");

    private DatabaseUrl() {}

    /**
     * Reads the URL.
     *
     * @param user where the URL names none; both must not differ
     * @param password where the URL has none; both must not differ
     */
    static DatabaseSettings parse(String url, @Nullable String user, @Nullable String password) {
        Matcher form = FORM.matcher(url);
        if (!form.matches()) {
            throw invalid();
        }
        Map<String, String> parameters = parameters(form.group("query"));
        String chosenUser = one("user", decode(form.group("user")), parameters.get("user"), user);
        if (chosenUser == null) {
            throw new UsageException(
                    "database.url names no user; write postgresql://user@host/database, or set database.user");
        }
        return new DatabaseSettings(
                form.group("host"),
                port(form.group("port")),
                String.valueOf(decode(form.group("database"))),
                chosenUser,
                one("password", decode(form.group("password")), parameters.get("password"), password),
                sslMode(parameters.getOrDefault("sslmode", "prefer")));
    }

    private static UsageException invalid() {
        return new UsageException(
                "database.url is not a PostgreSQL URL; write postgresql://user:password@host:5432/database, with"
                        + " special characters of user and password percent-encoded, or set database.password");
    }

    private static int port(@Nullable String text) {
        int port = text == null ? DEFAULT_PORT : Integer.parseInt(text);
        if (port < 1 || port > PORT_MAX) {
            throw new UsageException("database.url has the port " + port + ", but ports are 1 to " + PORT_MAX);
        }
        return port;
    }

    private static String sslMode(String mode) {
        if (!SSL_MODES.contains(mode)) {
            throw new UsageException(
                    "database.url has an unknown sslmode; write one of " + String.join(", ", SSL_MODES));
        }
        return mode;
    }

    private static Map<String, String> parameters(@Nullable String query) {
        Map<String, String> parameters = new HashMap<>();
        for (String part : query == null || query.isEmpty() ? new String[0] : query.split("&", -1)) {
            String[] pair = part.split("=", 2);
            if (pair.length < 2 || !PARAMETERS.contains(pair[0])) {
                throw new UsageException("database.url has a parameter beside " + String.join(", ", PARAMETERS)
                        + ", which are all there are; leave it out");
            }
            parameters.put(pair[0], String.valueOf(decode(pair[1])));
        }
        return parameters;
    }

    private static @Nullable String decode(@Nullable String text) {
        try {
            return text == null ? null : URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw invalid();
        }
    }

    /** The one value given, in whatever places; null if in none. */
    private static @Nullable String one(String name, @Nullable String... candidates) {
        String chosen = null;
        for (String candidate : candidates) {
            if (candidate == null || candidate.isEmpty()) {
                continue;
            }
            if (chosen != null && !chosen.equals(candidate)) {
                throw new UsageException("the " + name + " in database.url and database." + name
                        + " differ, or the URL has two; keep one");
            }
            chosen = candidate;
        }
        return chosen;
    }
}

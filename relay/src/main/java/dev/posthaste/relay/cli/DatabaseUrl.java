package dev.posthaste.relay.cli;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.source.DatabaseSettings;

/**
 * Reads {@code postgresql://user:password@host:port/database?sslmode=…}, as {@code psql} has it, and the same behind
 * {@code jdbc:} with user and password as parameters.
 */
final class DatabaseUrl {

    private static final int DEFAULT_PORT = 5432;
    private static final Set<String> PARAMETERS = Set.of("user", "password", "sslmode");

    private DatabaseUrl() {}

    /**
     * Reads the URL.
     *
     * @param user taken where the URL names none
     * @param password taken where the URL has none
     */
    static DatabaseSettings parse(String url, @Nullable String user, @Nullable String password) {
        URI uri = uri(url.startsWith("jdbc:") ? url.substring("jdbc:".length()) : url);
        String host = uri.getHost();
        String path = uri.getPath();
        if (host == null
                || path == null
                || path.length() < 2
                || !("postgresql".equals(uri.getScheme()) || "postgres".equals(uri.getScheme()))) {
            throw invalid();
        }
        Map<String, String> parameters = parameters(uri.getRawQuery());
        String[] login = uri.getRawUserInfo() == null
                ? new String[0]
                : uri.getRawUserInfo().split(":", 2);
        String chosenUser = first(login.length > 0 ? decode(login[0]) : null, parameters.get("user"), user);
        if (chosenUser == null) {
            throw new UsageException(
                    "database.url names no user; write postgresql://user@host/database, or set database.user");
        }
        return new DatabaseSettings(
                host,
                uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(),
                path.substring(1),
                chosenUser,
                first(login.length > 1 ? decode(login[1]) : null, parameters.get("password"), password),
                parameters.getOrDefault("sslmode", "prefer"));
    }

    private static URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw invalid(); // without the text: it may hold the password
        }
    }

    private static UsageException invalid() {
        return new UsageException(
                "database.url is not a PostgreSQL URL; write postgresql://user:password@host:5432/database");
    }

    private static Map<String, String> parameters(@Nullable String query) {
        Map<String, String> parameters = new HashMap<>();
        for (String part : query == null ? new String[0] : query.split("&")) {
            String[] pair = part.split("=", 2);
            if (pair.length < 2 || !PARAMETERS.contains(pair[0])) {
                throw new UsageException("database.url has the parameter " + pair[0]
                        + ", but only user, password and sslmode are known");
            }
            parameters.put(pair[0], decode(pair[1]));
        }
        return parameters;
    }

    private static String decode(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static @Nullable String first(@Nullable String... candidates) {
        for (String candidate : candidates) {
            if (candidate != null && !candidate.isEmpty()) {
                return candidate;
            }
        }
        return null;
    }
}

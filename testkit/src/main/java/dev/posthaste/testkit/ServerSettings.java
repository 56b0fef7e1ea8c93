package dev.posthaste.testkit;

import java.nio.file.Path;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How one server is started.
 *
 * @param port the port to listen on; 0 (the default) takes a free one
 * @param directory where the server keeps its data from one start to the next; null (the default) makes a temporary
 *     directory that is deleted on close
 * @param options further settings under the server's own names ({@code wal_sender_timeout}, {@code log.retention.ms});
 *     they win over those of the testkit, but for what it promises and for addresses, ports and directories
 */
public record ServerSettings(int port, @Nullable Path directory, Map<String, String> options) {

    /** Checks the port and copies the options. */
    public ServerSettings {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("Port " + port + " is not between 0 (take a free one) and 65535.");
        }
        options = Map.copyOf(options);
    }

    /** A free port, a temporary directory, no further options. */
    public static ServerSettings defaults() {
        return new ServerSettings(0, null, Map.of());
    }

    /** The same with this port; 0 takes a free one. */
    public ServerSettings withPort(int newPort) {
        return new ServerSettings(newPort, directory, options);
    }

    /** The same, keeping the data in this directory (made where absent). */
    public ServerSettings withDirectory(Path newDirectory) {
        return new ServerSettings(port, newDirectory, options);
    }

    /** The same with these further options in place of the former ones. */
    public ServerSettings withOptions(Map<String, String> newOptions) {
        return new ServerSettings(port, directory, newOptions);
    }
}

package dev.posthaste.consumer.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

/**
 * Names this process.
 *
 * @param owner unique to this consumer object
 * @param host the machine, as people know it
 */
public record Worker(String owner, String host) {

    /** A new name, on this machine. */
    public static Worker here() {
        String host = hostName();
        return new Worker(
                host + "/" + ProcessHandle.current().pid() + "/"
                        + UUID.randomUUID().toString().substring(0, 8),
                host);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown-host";
        }
    }
}

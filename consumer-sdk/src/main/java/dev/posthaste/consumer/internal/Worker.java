package dev.posthaste.consumer.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

/**
 * This process: its names, and what its handlers share.
 *
 * @param owner unique to this consumer object
 * @param host the machine, as people know it
 * @param isolation keeps attempts that may end it apart
 */
public record Worker(String owner, String host, Isolation isolation) {

    /** A new name, on this machine. */
    public static Worker here() {
        String host = hostName();
        return new Worker(
                host + "/" + ProcessHandle.current().pid() + "/"
                        + UUID.randomUUID().toString().substring(0, 8),
                host,
                new Isolation());
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown-host";
        }
    }
}

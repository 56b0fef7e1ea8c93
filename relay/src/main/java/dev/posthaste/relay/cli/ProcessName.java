package dev.posthaste.relay.cli;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

/** Names this process in the lease. */
final class ProcessName {

    private static final int SUFFIX_CHARACTERS = 8;

    private ProcessName() {}

    static String unique() throws UnknownHostException {
        return InetAddress.getLocalHost().getHostName() + "/"
                + ProcessHandle.current().pid() + "/"
                + UUID.randomUUID().toString().substring(0, SUFFIX_CHARACTERS);
    }
}

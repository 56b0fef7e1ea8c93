package dev.posthaste.relay.cli;

import java.util.List;

/**
 * How much is logged: a running relay tells its life, a command only what is wrong. Set before the first logger is
 * made.
 */
final class Logging {

    private Logging() {}

    static void configureFor(String[] arguments) {
        boolean relay = List.of(arguments).contains("relay");
        String chosen = System.getenv("POSTHASTE_LOG_LEVEL");
        System.setProperty("posthaste.log.level", chosen != null ? chosen : relay ? "INFO" : "ERROR");
        System.setProperty("posthaste.log.level.others", relay ? "WARN" : "OFF");
    }
}

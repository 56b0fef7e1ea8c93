package dev.posthaste.relay.cli;

import java.util.Arrays;

/**
 * How much is logged: a running relay tells its life, a command only what is wrong. Set before the first logger is
 * made.
 */
final class Logging {

    private Logging() {}

    static void configureFor(String[] arguments) {
        boolean relay = isRelay(arguments);
        String chosen = System.getenv("POSTHASTE_LOG_LEVEL");
        System.setProperty("posthaste.log.level", chosen != null ? chosen : relay ? "INFO" : "ERROR");
        System.setProperty("posthaste.log.level.others", relay ? "WARN" : "OFF");
    }

    /** The command is the first argument that is no option; a namespace may be called relay as well. */
    static boolean isRelay(String... arguments) {
        return Arrays.stream(arguments)
                .filter(argument -> !argument.startsWith("-"))
                .findFirst()
                .filter("relay"::equals)
                .isPresent();
    }
}

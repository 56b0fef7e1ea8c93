package dev.posthaste.chaos.world;

import java.util.Arrays;

/** Runs another main class, and ends with the process that started it, so that nothing outlives a killed run. */
final class ChildMain {

    private static final int ORPHANED = 99;

    private ChildMain() {}

    public static void main(String[] arguments) throws ReflectiveOperationException {
        ProcessHandle.current().parent().ifPresent(parent -> {
            var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(ORPHANED));
        });
        Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object)
                Arrays.copyOfRange(arguments, 1, arguments.length));
    }
}

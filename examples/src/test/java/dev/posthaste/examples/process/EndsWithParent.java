package dev.posthaste.examples.process;

import dev.posthaste.relay.cli.Posthaste;

/** {@code posthaste}, but for that it does not outlive the test run that started it. */
final class EndsWithParent {

    private static final int ORPHANED = 99;

    private EndsWithParent() {}

    public static void main(String[] arguments) {
        ProcessHandle.current().parent().ifPresent(parent -> {
            var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(ORPHANED));
        });
        Posthaste.main(arguments);
    }
}

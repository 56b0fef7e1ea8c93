package dev.posthaste.testkit;

/** The shutdown hooks of the embedded servers. */
final class ExitHooks {

    private ExitHooks() {}

    /** Takes a hook back; once the JVM is ending they run anyway, and closing twice is harmless. */
    static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending.
        }
    }
}

package dev.posthaste.relay.cli;

/** Adds a command to {@code posthaste}; found by {@link java.util.ServiceLoader}. */
public interface CommandProvider {

    /** An object annotated as a picocli command, that implements {@code Callable<Integer>}. */
    Object command();
}

package dev.posthaste.chaos.scenario;

/** Something that a scenario waits for has not come. */
public final class NotReachedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotReachedException(String message) {
        super(message);
    }
}

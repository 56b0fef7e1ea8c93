package dev.posthaste.relay.lease;

/** Another relay has taken over. There is no retry: the answer is to stand by. */
public final class FencedException extends Exception {

    private static final long serialVersionUID = 1L;

    /** Tells who noticed. */
    public FencedException(String message) {
        super(message);
    }

    /** Tells who noticed, and how. */
    public FencedException(String message, Throwable cause) {
        super(message, cause);
    }
}

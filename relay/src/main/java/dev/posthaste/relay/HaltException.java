package dev.posthaste.relay;

/** Something only a person can mend. Nothing was acknowledged past it. */
public final class HaltException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient HaltReason reason;

    /** Carries the reason. */
    public HaltException(HaltReason reason) {
        super(reason.toString());
        this.reason = reason;
    }

    /** Makes the reason of its parts. */
    public HaltException(HaltReason.Cause cause, String detail, String remedy) {
        this(new HaltReason(cause, detail, remedy));
    }

    /** The reason. */
    public HaltReason reason() {
        return reason;
    }
}

package dev.posthaste.consumer.inbox;

/** A handler has ended the SDK's transaction behind its back. */
public final class TransactionEndedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TransactionEndedException(int claimed) {
        super("the handler has ended the SDK's transaction by itself, in SQL: messages claimed in it may be marked as"
                + " completed without having run; take COMMIT and ROLLBACK out of the handler and check the last "
                + claimed + " messages of this partition against their effects");
    }
}

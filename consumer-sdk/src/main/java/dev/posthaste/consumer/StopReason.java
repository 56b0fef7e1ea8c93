package dev.posthaste.consumer;

/** Why a partition of a handler stands still; if nothing else is said, until the consumer is started again. */
public enum StopReason {
    /** The handler has ended the SDK's transaction by itself, or the SDK has a fault. */
    HANDLER_FAILED,
    /**
     * The inbox forgets before the topic does, or may not know it: nothing of the topic is read until it is so no more.
     */
    RETENTION_TOO_SHORT,
    /**
     * The inbox has a handler of this name that belongs to another namespace: nothing is run or emitted until it does
     * not.
     */
    ANOTHER_NAMESPACE,
    /** As many messages wait behind one key as may. It goes on by itself once there is room. */
    KEY_FULL,
    /**
     * The inbox's database refuses what is to be written of a record, however often it is tried: a fault in the SDK.
     */
    INBOX_REFUSED,
    /** The committed offset is no longer on the topic: records were lost to its retention, or it was made anew. */
    OFFSET_OUT_OF_RANGE,
    /** The group has read this partition before, and its committed offset is gone. */
    OFFSET_LOST
}

package dev.posthaste.consumer;

/** Why a partition of a handler stands still until the consumer is started again. */
public enum StopReason {
    /** The handler threw, or its transaction could not be committed. */
    HANDLER_FAILED,
    /** The record is not a message that this handler reads: a header is missing, its version or payload unreadable. */
    UNREADABLE,
    /** The committed offset is no longer on the topic: records were lost to its retention, or it was made anew. */
    OFFSET_OUT_OF_RANGE,
    /** The group has read this partition before, and its committed offset is gone. */
    OFFSET_LOST
}

package dev.posthaste.schemas.catalog;

/** What order a handler is promised. */
public enum DeliveryOrder {
    /** None. */
    UNORDERED,
    /** Messages of one key in commit order, also while an earlier one waits for a retry. */
    PER_KEY
}

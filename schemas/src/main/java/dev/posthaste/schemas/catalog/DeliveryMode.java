package dev.posthaste.schemas.catalog;

import dev.posthaste.schemas.MessageKind;

/** How a handler runs. */
public enum DeliveryMode {
    /** Claim, effect and completion in one database transaction: the effect is there once. */
    TRANSACTIONAL,
    /** Called outside any transaction under a lease, at least once with one idempotency key. */
    LEASED;

    /** The mode a kind of message asks for where its handler names none. */
    public static DeliveryMode defaultFor(MessageKind kind) {
        return kind == MessageKind.PROVIDER_SIDE_EFFECT ? LEASED : TRANSACTIONAL;
    }
}

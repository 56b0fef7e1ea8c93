package dev.posthaste.consumer.replay;

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * Which dead letters of a handler: all of them, and fewer with every {@code with…}. Immutable.
 *
 * @param handler whose
 * @param code the cause in one word, as the journal has it; null: any
 * @param tenant null: any; the empty one is a tenant like the others
 * @param key the record's key as text, which is the message's ordering key; null: any
 * @param messageId null: any
 * @param stagedFrom staged then or later; null: ever
 * @param stagedUntil staged before; null: ever
 * @param failedFrom last failed then or later, on the inbox database's clock; null: ever
 * @param failedUntil last failed before; null: ever
 */
public record DeadLetterQuery(
        String handler,
        @Nullable String code,
        @Nullable String tenant,
        @Nullable String key,
        @Nullable UUID messageId,
        @Nullable Instant stagedFrom,
        @Nullable Instant stagedUntil,
        @Nullable Instant failedFrom,
        @Nullable Instant failedUntil) {

    /** All of a handler. */
    public static DeadLetterQuery of(String handler) {
        return new DeadLetterQuery(handler, null, null, null, null, null, null, null, null);
    }

    /** Those with that cause. */
    public DeadLetterQuery withCode(String word) {
        return new DeadLetterQuery(
                handler, word, tenant, key, messageId, stagedFrom, stagedUntil, failedFrom, failedUntil);
    }

    /** Those of that tenant; empty for those of none. */
    public DeadLetterQuery withTenant(String name) {
        return new DeadLetterQuery(
                handler, code, name, key, messageId, stagedFrom, stagedUntil, failedFrom, failedUntil);
    }

    /** Those with that ordering key. */
    public DeadLetterQuery withKey(String text) {
        return new DeadLetterQuery(
                handler, code, tenant, text, messageId, stagedFrom, stagedUntil, failedFrom, failedUntil);
    }

    /** That message. */
    public DeadLetterQuery withMessageId(UUID id) {
        return new DeadLetterQuery(handler, code, tenant, key, id, stagedFrom, stagedUntil, failedFrom, failedUntil);
    }

    /** Those staged from the first time on and before the second; null for no bound. */
    public DeadLetterQuery withStaged(@Nullable Instant from, @Nullable Instant until) {
        return new DeadLetterQuery(handler, code, tenant, key, messageId, from, until, failedFrom, failedUntil);
    }

    /** Those that last failed from the first time on and before the second; null for no bound. */
    public DeadLetterQuery withFailed(@Nullable Instant from, @Nullable Instant until) {
        return new DeadLetterQuery(handler, code, tenant, key, messageId, stagedFrom, stagedUntil, from, until);
    }

    /** In words, for the audit. */
    String description() {
        StringBuilder words = new StringBuilder("dead letters of ").append(handler);
        add(words, "code", code);
        add(words, "tenant", tenant);
        add(words, "key", key == null ? null : "(given)"); // a key may be personal
        add(words, "message", messageId);
        add(words, "staged from", stagedFrom);
        add(words, "staged before", stagedUntil);
        add(words, "failed from", failedFrom);
        add(words, "failed before", failedUntil);
        return words.toString();
    }

    private static void add(StringBuilder words, String name, @Nullable Object value) {
        if (value != null) {
            words.append(", ").append(name).append(' ').append(value);
        }
    }

    /** Leaves the key out: it may be personal. */
    @Override
    public String toString() {
        return "DeadLetterQuery[" + description() + "]";
    }
}

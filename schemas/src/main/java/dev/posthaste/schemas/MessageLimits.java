package dev.posthaste.schemas;

/** The limits of {@code outbox.message}, as its CHECK constraints have them. */
public final class MessageLimits {

    /** Longest {@code type}, in characters. */
    public static final int TYPE_CHARACTERS_MAX = 200;

    /** Longest {@code key}, in UTF-8 bytes. */
    public static final int KEY_BYTES_MAX = 1024;

    /** Longest {@code tenant}, in characters. */
    public static final int TENANT_CHARACTERS_MAX = 200;

    /** Longest {@code content_type}, in characters. */
    public static final int CONTENT_TYPE_CHARACTERS_MAX = 200;

    /** Largest payload, in bytes. */
    public static final int PAYLOAD_BYTES_MAX = 8 * 1024 * 1024;

    /** Largest {@code headers}, in bytes of its JSON text. */
    public static final int HEADERS_BYTES_MAX = 16 * 1024;

    private MessageLimits() {}
}

package dev.posthaste.schemas;

import java.util.Locale;

/**
 * Names of the Kafka record headers of a message: a CloudEvent 1.0 in binary mode, the trace context as W3C has it, and
 * a few of our own. All values are UTF-8 text.
 *
 * <p>Of a record written by hand the consumer SDK requires {@link #CE_ID}, {@link #STAGED_AT}, {@link #CE_TYPE},
 * {@link #SCHEMA_VERSION}, {@link #KIND}, {@link #CE_TIME} and {@link #CONTENT_TYPE}, and holds these, {@link #TENANT}
 * and {@link #CE_SUBJECT} to {@link MessageLimits}; else it is unreadable.
 */
public final class MessageHeaders {

    /** CloudEvents version, always {@code 1.0}. */
    public static final String CE_SPECVERSION = "ce_specversion";

    /** Message id (a UUID). */
    public static final String CE_ID = "ce_id";

    /** Message type. */
    public static final String CE_TYPE = "ce_type";

    /** {@code /<namespace>/<owner of the type>}. */
    public static final String CE_SOURCE = "ce_source";

    /** When it happened, as the service says; RFC 3339 with microseconds, UTC. */
    public static final String CE_TIME = "ce_time";

    /** Ordering key, where the message has one. */
    public static final String CE_SUBJECT = "ce_subject";

    /** {@code urn:posthaste:<type>:<version>}. */
    public static final String CE_DATASCHEMA = "ce_dataschema";

    /** Content type of the value; CloudEvents' Kafka binding names it without a prefix. */
    public static final String CONTENT_TYPE = "content-type";

    /** W3C trace context of the staging transaction. */
    public static final String TRACEPARENT = "traceparent";

    /** W3C trace state. */
    public static final String TRACESTATE = "tracestate";

    /** {@link MessageKind#wireName()}. */
    public static final String KIND = "posthaste_kind";

    /** Schema version, a decimal number. */
    public static final String SCHEMA_VERSION = "posthaste_schema_version";

    /** Tenant; absent for the empty one. */
    public static final String TENANT = "posthaste_tenant";

    /** {@code created_at} of the row; RFC 3339 with microseconds, UTC. No redelivery changes it. */
    public static final String STAGED_AT = "posthaste_staged_at";

    /**
     * On a marker: the record has no value and stands where a message would, which is quarantined for this handler;
     * why. For a handler with order per key it counts as a dead letter of its key.
     */
    public static final String QUARANTINED = "posthaste_quarantined";

    /**
     * On a message published outside the commit order, by {@code release}, {@code repair} or a replay: which of them.
     */
    public static final String REPLAY = "posthaste_replay";

    /** On the retry topic: which attempt the record asks for, from 1. On the dead-letter topic: how many were made. */
    public static final String ATTEMPT = "posthaste_attempt";

    /** On the retry and dead-letter topics: the cause of the last failure in one word. */
    public static final String ERROR_CODE = "posthaste_error_code";

    /** On the dead-letter topic: the last error, in a bounded number of words and without payload. */
    public static final String ERROR = "posthaste_error";

    /** On the dead-letter topic: where the record lay, {@code <topic>-<partition>@<offset>}. */
    public static final String ORIGIN = "posthaste_origin";

    /** On the retry and the dead-letter topic: the trace context of the attempt before, as W3C has it. */
    public static final String PREVIOUS_TRACE = "posthaste_previous_trace";

    private MessageHeaders() {}

    /** Whether a service may not use that header name for its own. */
    public static boolean isReserved(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.startsWith("ce_") || lower.startsWith("posthaste_") || lower.equals(CONTENT_TYPE);
    }
}

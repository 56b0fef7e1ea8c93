package dev.posthaste.producer;

import java.util.HexFormat;
import java.util.Map;
import java.util.random.RandomGenerator;

import dev.posthaste.schemas.MessageHeaders;

/**
 * The W3C trace context of a message: that of OpenTelemetry's current span, or else of a new trace, so that a message's
 * deliveries can always be told together. A new trace is marked as sampled: nobody has decided against it, and a mark
 * against it would silence the consumers' traces.
 */
final class TraceContext {

    private static final boolean OPENTELEMETRY_IS_THERE = isOpenTelemetryThere();

    private final RandomGenerator random;

    TraceContext(RandomGenerator random) {
        this.random = random;
    }

    /** Headers of the current trace; never empty. */
    Map<String, String> current() {
        Map<String, String> ofSpan = OPENTELEMETRY_IS_THERE ? OpenTelemetrySpan.headers() : Map.of();
        return ofSpan.isEmpty() ? Map.of(MessageHeaders.TRACEPARENT, newTrace()) : ofSpan;
    }

    private String newTrace() {
        HexFormat hex = HexFormat.of();
        return "00-" + hex.toHexDigits(random.nextLong()) + hex.toHexDigits(nonZero()) + "-"
                + hex.toHexDigits(nonZero()) + "-01";
    }

    /** Ids of zeros only are invalid. */
    private long nonZero() {
        long bits = random.nextLong();
        return bits == 0 ? 1 : bits;
    }

    private static boolean isOpenTelemetryThere() {
        try {
            Class.forName(
                    "io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator",
                    false,
                    TraceContext.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }
}

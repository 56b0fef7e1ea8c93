package dev.posthaste.producer;

import java.util.LinkedHashMap;
import java.util.Map;

import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;

/** All that touches OpenTelemetry; loaded only where it is on the class path. */
final class OpenTelemetrySpan {

    private OpenTelemetrySpan() {}

    /** The current span's trace context; empty where no valid span is current. */
    static Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        W3CTraceContextPropagator.getInstance().inject(Context.current(), headers, (carrier, name, value) -> {
            if (carrier != null) {
                carrier.put(name, value);
            }
        });
        return headers;
    }
}

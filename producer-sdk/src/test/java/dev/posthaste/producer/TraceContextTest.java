package dev.posthaste.producer;

import java.util.Map;
import java.util.Random;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Scope;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TraceContextTest {

    private final TraceContext traces = new TraceContext(new Random(1));

    @Test
    void theCurrentSpanIsTakenWithItsState() {
        SpanContext span = SpanContext.create(
                "4bf92f3577b34da6a3ce929d0e0e4736",
                "00f067aa0ba902b7",
                TraceFlags.getSampled(),
                TraceState.builder().put("vendor", "1").build());
        try (Scope ignored = Span.wrap(span).makeCurrent()) {
            assertThat(traces.current())
                    .isEqualTo(Map.of(
                            "traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                            "tracestate", "vendor=1"));
        }
    }

    @Test
    void withoutASpanANewTraceIsMade() {
        String first = traces.current().get("traceparent");
        String second = traces.current().get("traceparent");

        assertThat(first).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-01").isNotEqualTo(second);
    }
}

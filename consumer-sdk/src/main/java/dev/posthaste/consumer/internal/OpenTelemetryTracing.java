package dev.posthaste.consumer.internal;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.MessageHeaders;

/**
 * All that touches OpenTelemetry; loaded only where it is on the class path. Spans go to the service's global instance,
 * once it has set one. Each begins a trace of its own: an attempt may come days after the message was staged, and a
 * trace that long is of no use. Thread-safe.
 */
final class OpenTelemetryTracing implements Tracing {

    private static final String SCOPE = "dev.posthaste.consumer";

    private static final TextMapGetter<Map<String, String>> GETTER = new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(Map<String, String> carrier) {
            return carrier.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> carrier, String key) {
            return carrier == null ? null : carrier.get(key);
        }
    };

    @Override
    @SuppressWarnings("MustBeClosedChecker") // the scope is closed with the span
    public Tracing.AttemptSpan begin(List<Task<?>> tasks, int attempt) {
        if (!GlobalOpenTelemetry.isSet()) {
            return Tracing.AttemptSpan.NONE;
        }
        Task<?> first = tasks.get(0);
        SpanBuilder builder = GlobalOpenTelemetry.getTracer(SCOPE)
                .spanBuilder("process " + first.record().topic())
                .setNoParent()
                .setSpanKind(SpanKind.CONSUMER)
                .setAttribute("messaging.system", "kafka")
                .setAttribute("messaging.operation.type", "process")
                .setAttribute("messaging.operation.name", "process")
                .setAttribute("messaging.destination.name", first.record().topic())
                .setAttribute(
                        "messaging.destination.partition.id",
                        Integer.toString(first.record().partition()))
                .setAttribute("messaging.kafka.offset", first.record().offset())
                .setAttribute("posthaste.attempt", attempt);
        if (tasks.size() == 1) {
            builder.setAttribute("messaging.message.id", first.event().id().toString());
        } else {
            builder.setAttribute("messaging.batch.message_count", tasks.size());
        }
        for (Task<?> task : tasks) {
            Headers headers = task.record().headers();
            link(builder, headers, MessageHeaders.TRACEPARENT);
            link(builder, headers, MessageHeaders.PREVIOUS_TRACE);
        }
        Span span = builder.startSpan();
        return new Running(span, span.makeCurrent());
    }

    private static void link(SpanBuilder builder, Headers headers, String header) {
        Map<String, String> carrier = new HashMap<>();
        put(carrier, "traceparent", Envelope.text(headers, header));
        put(carrier, "tracestate", Envelope.text(headers, MessageHeaders.TRACESTATE));
        SpanContext context = Span.fromContext(
                        W3CTraceContextPropagator.getInstance().extract(Context.root(), carrier, GETTER))
                .getSpanContext();
        if (context.isValid()) {
            builder.addLink(context);
        }
    }

    private static void put(Map<String, String> carrier, String name, @Nullable String value) {
        if (value != null) {
            carrier.put(name, value);
        }
    }

    private record Running(Span span, Scope scope) implements Tracing.AttemptSpan {

        @Override
        public @Nullable String traceparent() {
            Map<String, String> headers = new HashMap<>();
            W3CTraceContextPropagator.getInstance()
                    .inject(Context.root().with(span), headers, (carrier, name, value) -> {
                        if (carrier != null) {
                            carrier.put(name, value);
                        }
                    });
            return headers.get("traceparent");
        }

        @Override
        public void failed(Throwable cause) {
            span.setAttribute("error.type", cause.getClass().getName());
            span.setStatus(StatusCode.ERROR);
        }

        @Override
        public void close() {
            scope.close();
            span.end();
        }
    }
}

package dev.posthaste.consumer.internal;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A span for every attempt, linked to the span that staged the message and to the attempt before it. With OpenTelemetry
 * where the service has it, else nothing. Thread-safe.
 */
interface Tracing {

    /** No spans. */
    Tracing NONE = (tasks, attempt) -> AttemptSpan.NONE;

    /**
     * Begins an attempt on this thread.
     *
     * @param tasks what is run in one call; at least one
     * @param attempt which attempt it is, of the first of them
     */
    AttemptSpan begin(List<Task<?>> tasks, int attempt);

    /** An attempt under way, on the thread that began it; current for whatever its handler calls. */
    interface AttemptSpan extends AutoCloseable {

        /** No span. */
        AttemptSpan NONE = new AttemptSpan() {
            @Override
            public @Nullable String traceparent() {
                return null;
            }

            @Override
            public void failed(Throwable cause) {}

            @Override
            public void close() {}
        };

        /** What the next attempt is linked to; null for nothing. */
        @Nullable
        String traceparent();

        /** It failed; what the error says is left out, since it may quote the payload. */
        void failed(Throwable cause);

        /** It is over. */
        @Override
        void close();
    }

    /** With OpenTelemetry if it is on the class path; it is not loaded otherwise. */
    static Tracing here() {
        try {
            Class.forName("io.opentelemetry.api.GlobalOpenTelemetry", false, Tracing.class.getClassLoader())
                    .getMethod("isSet"); // older ones cannot be asked without being set up by it
            return new OpenTelemetryTracing();
        } catch (ReflectiveOperationException | LinkageError e) {
            return NONE;
        }
    }
}

package dev.posthaste.consumer;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class TracingTest {

    private static final String STAGED = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private final Spans spans = new Spans();

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    @AfterEach
    void forgetTheGlobalOne() {
        GlobalOpenTelemetry.resetForTest();
    }

    /** Keeps what has ended. */
    private static final class Spans implements SpanExporter {
        private final List<SpanData> ended = new CopyOnWriteArrayList<>();

        @Override
        public CompletableResultCode export(Collection<SpanData> batch) {
            ended.addAll(batch);
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    private void record() {
        GlobalOpenTelemetry.set(OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(spans))
                        .build())
                .build());
    }

    private static List<String> links(SpanData span) {
        return span.getLinks().stream()
                .map(LinkData::getSpanContext)
                .map(TracingTest::traceparent)
                .toList();
    }

    private static String traceparent(SpanContext context) {
        return "00-" + context.getTraceId() + "-" + context.getSpanId() + "-" + context.getTraceFlags();
    }

    @ReportedCase(40)
    @Test
    void everyAttemptIsASpanLinkedToTheStagedMessageAndToTheAttemptBefore(Stack stack) throws Exception {
        record();
        AtomicInteger calls = new AtomicInteger();
        List<String> current = new CopyOnWriteArrayList<>();
        Handler failsTwice = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            current.add(traceparent(Span.current().getSpanContext()));
            if (calls.incrementAndGet() <= 2) {
                throw new IllegalStateException("no notice for ada-lovelace");
            }
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            TestMessage message = TestMessage.of(new Loan("ada-lovelace", 1)).with(MessageHeaders.TRACEPARENT, STAGED);
            scene.publish("due-notice", 0, message);
            scene.start(failsTwice);
            soon().until(() -> scene.completed("due-notice").size() == 1 && spans.ended.size() == 3);

            List<SpanData> attempts = spans.ended;
            assertThat(attempts.stream().map(span -> traceparent(span.getSpanContext())))
                    .as("the handler ran inside them")
                    .isEqualTo(current);
            assertThat(links(attempts.get(0))).containsExactly(STAGED);
            assertThat(links(attempts.get(1))).containsExactly(STAGED, current.get(0));
            assertThat(links(attempts.get(2))).containsExactly(STAGED, current.get(1));
            assertThat(attempts).allSatisfy(span -> {
                assertThat(span.getKind()).isEqualTo(SpanKind.CONSUMER);
                assertThat(span.getParentSpanContext().isValid())
                        .as("linked, no child")
                        .isFalse();
                assertThat(span.getAttributes().asMap().toString())
                        .contains(message.id().toString(), scene.topic("due-notice"));
                assertThat(span.toString()).doesNotContain("ada-lovelace");
            });
            assertThat(attempts)
                    .extracting(span -> span.getStatus().getStatusCode())
                    .containsExactly(StatusCode.ERROR, StatusCode.ERROR, StatusCode.UNSET);
            assertThat(scene.records(scene.topic("due-notice") + ".retry"))
                    .extracting(record -> Scene.header(record, MessageHeaders.PREVIOUS_TRACE))
                    .containsExactly(current.get(0), current.get(1));
        }
    }

    @Test
    void aDeadLetterNamesTheSpanOfItsLastAttempt(Stack stack) throws Exception {
        record();
        Handler broken = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            throw new IllegalStateException("never");
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 1)));
            scene.start(broken);
            soon().until(() -> scene.deadLetters("due-notice").size() == 1 && spans.ended.size() == 3);
            assertThat(Scene.header(scene.deadLetters("due-notice").get(0), MessageHeaders.PREVIOUS_TRACE))
                    .isEqualTo(traceparent(spans.ended.get(2).getSpanContext()));
        }
    }

    @Test
    void whereTheServiceHasSetNoneUpNothingIsTracedAndItMayStillSetOne(Stack stack) throws Exception {
        GlobalOpenTelemetry.resetForTest();
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 1)));
            scene.start(Scene.writing("due-notice"));
            soon().until(() -> scene.completed("due-notice").size() == 1);
            assertThat(GlobalOpenTelemetry.isSet()).isFalse();
        }
    }

    @Test
    void withoutOpenTelemetryOnTheClassPathItIsNotLoaded() throws Exception {
        try (URLClassLoader without = classPathWithout("opentelemetry")) {
            assertThatThrownBy(() -> without.loadClass("io.opentelemetry.api.trace.Span"))
                    .isInstanceOf(ClassNotFoundException.class);
            var here =
                    without.loadClass("dev.posthaste.consumer.internal.Tracing").getDeclaredMethod("here");
            here.setAccessible(true);
            assertThat(here.invoke(null).getClass().getName()).doesNotContain("OpenTelemetry");
        }
    }

    private static URLClassLoader classPathWithout(String part) throws IOException {
        URL[] entries = Arrays.stream(System.getProperty("java.class.path").split(java.io.File.pathSeparator))
                .filter(entry -> !Path.of(entry).getFileName().toString().contains(part))
                .map(TracingTest::url)
                .toArray(URL[]::new);
        return new URLClassLoader(entries, ClassLoader.getPlatformClassLoader());
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (java.net.MalformedURLException e) {
            throw new IllegalStateException(entry, e);
        }
    }
}

package dev.posthaste.relay.source;

import java.io.IOException;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what is cold in the first start of an engine, up to the last step before it streams: an engine is started on a
 * publication that does not exist and may not be made. For want of it the engine ends, before it touches a slot and
 * before it would make one.
 */
public final class EngineRehearsal {

    private static final Logger log = LoggerFactory.getLogger(EngineRehearsal.class);
    private static final String NO_PUBLICATION = "posthaste rehearsal";
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private EngineRehearsal() {}

    /**
     * Rehearses, and waits for the end.
     *
     * @throws IllegalStateException if the engine did not end where it should
     */
    public static void run(SourceSettings settings) throws InterruptedException {
        Properties properties = EngineProperties.of(settings);
        properties.setProperty("publication.name", NO_PUBLICATION);
        // It also names the engine's MBeans, which must not meet those of an engine that streams.
        properties.setProperty("topic.prefix", EngineProperties.TOPIC_PREFIX + "-rehearsal");
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        DebeziumEngine<RecordChangeEvent<SourceRecord>> engine = DebeziumEngine.create(
                        ChangeEventFormat.of(Connect.class))
                .using(properties)
                .using((DebeziumEngine.CompletionCallback) (success, message, error) ->
                        ended.complete(error != null ? error : new IllegalStateException(String.valueOf(message))))
                .notifying((records, committer) -> {})
                .build();
        Thread thread = new Thread(engine, "posthaste-rehearsal");
        thread.setDaemon(true);
        thread.start();
        try {
            requireForWantOfThePublication(ended.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
            thread.join(TIMEOUT.toMillis());
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the rehearsed engine did not end within " + TIMEOUT, e);
        } finally {
            if (thread.isAlive()) {
                close(engine);
                thread.interrupt();
            }
        }
    }

    private static void requireForWantOfThePublication(Throwable end) {
        for (Throwable cause = end; cause != null; cause = cause.getCause()) {
            if (String.valueOf(cause.getMessage()).contains("Publication autocreation is disabled")) {
                return;
            }
        }
        throw new IllegalStateException("the rehearsed engine ended otherwise than for want of its publication", end);
    }

    private static void close(DebeziumEngine<?> engine) {
        try {
            engine.close();
        } catch (IOException | IllegalStateException e) {
            log.debug("the rehearsed engine did not close", e);
        }
    }
}

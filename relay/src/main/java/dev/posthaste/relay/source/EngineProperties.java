package dev.posthaste.relay.source;

import java.time.Duration;
import java.util.Properties;

/** The engine's settings; why each deviates from its default stands beside it. */
final class EngineProperties {

    static final String TOPIC_PREFIX = "posthaste";

    /** Prefix of our logical decoding messages; those of other applications are filtered out. */
    static final String MESSAGE_PREFIX = "posthaste";

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
    /** For the engine's start, a handful of questions, and for its stop. */
    private static final Duration TASK_TIMEOUT = Duration.ofSeconds(30);

    private EngineProperties() {}

    private static String seconds(Duration time) {
        return Long.toString(time.toSeconds());
    }

    static Properties of(SourceSettings settings) {
        DatabaseSettings database = settings.database();
        Properties p = new Properties();
        p.setProperty("name", "posthaste-" + settings.slot());
        p.setProperty("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
        p.setProperty("topic.prefix", TOPIC_PREFIX);
        p.setProperty("database.hostname", database.host());
        p.setProperty("database.port", Integer.toString(database.port()));
        p.setProperty("database.dbname", database.name());
        p.setProperty("database.user", database.user());
        p.setProperty("database.password", database.password() == null ? "" : database.password());
        p.setProperty("database.sslmode", database.sslMode());
        p.setProperty("database.tcpKeepAlive", "true");
        // On a connection that is half open no answer comes, not even to the farewell of an engine that is closed: its
        // threads would stay for ever. A stream without news is no such answer; the driver asks whether there is any.
        p.setProperty("driver.connectTimeout", seconds(CONNECT_TIMEOUT));
        p.setProperty("driver.socketTimeout", seconds(ANSWER_MAX));
        p.setProperty("task.management.timeout.ms", Long.toString(TASK_TIMEOUT.toMillis()));

        // Slot and publication are made beforehand, by `init`; a missing one must never be made in silence.
        p.setProperty("plugin.name", "pgoutput");
        p.setProperty("slot.name", settings.slot());
        p.setProperty("slot.drop.on.stop", "false");
        p.setProperty("slot.max.retries", "0");
        p.setProperty("publication.name", settings.publication());
        p.setProperty("publication.autocreate.mode", "disabled");
        p.setProperty("table.include.list", "outbox.message");
        p.setProperty("snapshot.mode", "no_data");

        // The position protocol needs an engine without stored offset that ends at every error: in-memory store, no
        // restarts.
        p.setProperty("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
        p.setProperty("offset.flush.interval.ms", "0");
        p.setProperty("errors.max.retries", "0");
        p.setProperty("event.processing.failure.handling.mode", "fail");
        // The slot moves by our acknowledgements only.
        p.setProperty("lsn.flush.mode", "connector");

        // Without a sign of life of our own the slot of an idle outbox stays put while a busy database piles up WAL.
        p.setProperty(
                "heartbeat.interval.ms", Long.toString(settings.heartbeat().toMillis()));
        p.setProperty(
                "heartbeat.action.query",
                "SELECT pg_catalog.pg_logical_emit_message(false, '" + MESSAGE_PREFIX + "', '')");
        p.setProperty("message.prefix.include.list", MESSAGE_PREFIX);

        p.setProperty("max.batch.size", Integer.toString(settings.batchRows()));
        p.setProperty("max.queue.size", Integer.toString(settings.queueRows()));
        p.setProperty("max.queue.size.in.bytes", Long.toString(settings.queueBytes()));
        p.setProperty("poll.interval.ms", Long.toString(settings.poll().toMillis()));
        p.setProperty("tasks.max", "1");
        p.setProperty("record.processing.threads", "1");
        p.setProperty("tombstones.on.delete", "false");
        p.setProperty("binary.handling.mode", "bytes");
        p.setProperty("extended.headers.enabled", "false");
        p.setProperty(
                "executor.shutdown.timeout.ms",
                Long.toString(Duration.ofSeconds(4).toMillis()));
        return p;
    }
}

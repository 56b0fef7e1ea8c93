package dev.posthaste.consumer.internal;

import java.time.Clock;
import java.util.Map;
import javax.sql.DataSource;

import io.micrometer.core.instrument.MeterRegistry;

import dev.posthaste.consumer.ConsumerSettings;

/**
 * All that one handler's loop is made of.
 *
 * @param handler its name
 * @param topic its topic, and the id of its group
 * @param decoder reads its records
 * @param kafka settings of its Kafka consumer
 * @param dataSource the database with the inbox
 * @param inboxGate closed while that database is away; shared by all handlers of a consumer
 * @param settings how it is run
 * @param meters where it is counted
 * @param clock what time it is
 */
public record HandlerSetup(
        String handler,
        String topic,
        Decoder decoder,
        Map<String, Object> kafka,
        DataSource dataSource,
        StoreGate inboxGate,
        ConsumerSettings settings,
        MeterRegistry meters,
        Clock clock) {}

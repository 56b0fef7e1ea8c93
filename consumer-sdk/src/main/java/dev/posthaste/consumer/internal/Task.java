package dev.posthaste.consumer.internal;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.Event;
import dev.posthaste.consumer.inbox.Arrival;
import dev.posthaste.consumer.inbox.BusinessKey;

/**
 * A message read from a record, with what is to be done with it.
 *
 * @param event the message
 * @param work what is done with it
 * @param arrival how the inbox knows it
 * @param businessKey under which it has its effect once; null: its message id is enough
 * @param record where it was read from
 */
record Task<T>(
        Event<T> event,
        Work<T> work,
        Arrival arrival,
        @Nullable BusinessKey businessKey,
        ConsumerRecord<byte[], byte[]> record) {}

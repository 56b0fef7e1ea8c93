package dev.posthaste.consumer.internal;

import org.apache.kafka.clients.consumer.ConsumerRecord;

import dev.posthaste.consumer.Event;
import dev.posthaste.consumer.inbox.Arrival;

/**
 * A message read from a record, with what is to be done with it.
 *
 * @param event the message
 * @param work what is done with it
 * @param arrival how the inbox knows it
 * @param record where it was read from
 */
record Task<T>(Event<T> event, Work<T> work, Arrival arrival, ConsumerRecord<byte[], byte[]> record) {}

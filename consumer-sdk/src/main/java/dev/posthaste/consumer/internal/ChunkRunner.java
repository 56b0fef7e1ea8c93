package dev.posthaste.consumer.internal;

import java.util.ArrayList;
import java.util.List;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

import dev.posthaste.consumer.StopReason;
import dev.posthaste.schemas.MessageHeaders;

/**
 * Runs a few records of one partition: all in one transaction, and one by one if that fails, so that a record that
 * cannot be handled holds up none before it. Thread-safe.
 */
final class ChunkRunner {

    private final Decoder decoder;
    private final DeliveryTransaction transaction;
    private final DeliveryMeters meters;

    ChunkRunner(Decoder decoder, DeliveryTransaction transaction, DeliveryMeters meters) {
        this.decoder = decoder;
        this.transaction = transaction;
        this.meters = meters;
    }

    /** Runs records that follow each other on a partition; at least one. */
    ChunkResult run(TopicPartition partition, List<ConsumerRecord<byte[], byte[]>> records) {
        int markers = leadingMarkers(records);
        if (markers > 0) {
            meters.quarantined(markers);
            return new ChunkResult(markers, new ChunkResult.Done());
        }
        List<Delivery<?>> deliveries = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            if (isMarker(record)) {
                break; // what comes before it is run first
            }
            try {
                deliveries.add(decoder.decode(record));
            } catch (UnreadableException e) {
                if (deliveries.isEmpty()) {
                    meters.failed();
                    return new ChunkResult(0, new ChunkResult.Failed(unreadable(e)));
                }
                break; // what comes before it is run first
            }
        }
        DeliveryTransaction.Attempt together = transaction.run(partition, deliveries);
        if (together instanceof DeliveryTransaction.HandlerFailed failed
                && deliveries.size() > 1
                // One by one they might all count as completed, and nobody would hear of it.
                && !(failed.cause() instanceof TransactionEndedException)) {
            return oneByOne(partition, deliveries, records);
        }
        return result(0, deliveries.size(), together, records.get(0));
    }

    /**
     * Stands where the relay has set a message aside for this handler; an operator releases or discards the message.
     */
    private static boolean isMarker(ConsumerRecord<byte[], byte[]> record) {
        return record.value() == null && record.headers().lastHeader(MessageHeaders.QUARANTINED) != null;
    }

    private static int leadingMarkers(List<ConsumerRecord<byte[], byte[]>> records) {
        int markers = 0;
        while (markers < records.size() && isMarker(records.get(markers))) {
            markers++;
        }
        return markers;
    }

    private ChunkResult oneByOne(
            TopicPartition partition, List<Delivery<?>> deliveries, List<ConsumerRecord<byte[], byte[]>> records) {
        for (int i = 0; i < deliveries.size(); i++) {
            DeliveryTransaction.Attempt alone = transaction.run(partition, List.of(deliveries.get(i)));
            if (!(alone instanceof DeliveryTransaction.Committed)) {
                return result(i, 0, alone, records.get(i));
            }
        }
        return new ChunkResult(deliveries.size(), new ChunkResult.Done());
    }

    private ChunkResult result(
            int before, int run, DeliveryTransaction.Attempt attempt, ConsumerRecord<byte[], byte[]> record) {
        if (attempt instanceof DeliveryTransaction.StoreAway away) {
            return new ChunkResult(before, new ChunkResult.StoreAway(away.cause()));
        }
        if (attempt instanceof DeliveryTransaction.Abandoned) {
            return new ChunkResult(before, new ChunkResult.Abandoned());
        }
        if (attempt instanceof DeliveryTransaction.HandlerFailed failed) {
            meters.failed();
            return new ChunkResult(before, new ChunkResult.Failed(failure(failed, record)));
        }
        return new ChunkResult(before + run, new ChunkResult.Done());
    }

    private static ChunkResult.Failure failure(
            DeliveryTransaction.HandlerFailed failed, ConsumerRecord<byte[], byte[]> record) {
        return new ChunkResult.Failure(
                failed.delivery().event().id(),
                StopReason.HANDLER_FAILED,
                failed.cause().getClass().getName(),
                "the handler failed on " + failed.delivery().event() + ": "
                        + ErrorSummary.of(failed.cause(), record.value()));
    }

    private static ChunkResult.Failure unreadable(UnreadableException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return new ChunkResult.Failure(
                e.messageId(),
                StopReason.UNREADABLE,
                cause.getClass().getName(),
                "the record is no message for it: " + e.getMessage());
    }
}

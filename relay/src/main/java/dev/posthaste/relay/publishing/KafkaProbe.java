package dev.posthaste.relay.publishing;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Asks whether a leader could publish from here: whether the coordinator of its transactions and the partition of its
 * position answer. It writes nothing and fences nobody. That the topic is not there is an answer as well. Confined to
 * one thread; the answers come on another.
 */
public final class KafkaProbe implements AutoCloseable {

    private final PublisherSettings settings;
    private @Nullable Admin admin;

    /** Connects when it asks first. */
    public KafkaProbe(PublisherSettings settings) {
        this.settings = settings;
    }

    /**
     * Asks, and does not wait.
     *
     * @return completed when both have answered, or exceptionally when Kafka refuses or a request has taken too long
     */
    public CompletableFuture<Void> ask() {
        try {
            Admin asked = connected();
            return CompletableFuture.allOf(coordinator(asked), position(asked));
        } catch (KafkaException e) { // an address that cannot be resolved
            return CompletableFuture.failedFuture(e);
        }
    }

    private Admin connected() {
        if (admin == null) {
            int requestMillis = (int) settings.requestTimeout().toMillis();
            admin = Admin.create(settings.kafka()
                    .with(Map.of(
                            AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                            requestMillis,
                            AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                            requestMillis,
                            AdminClientConfig.CLIENT_ID_CONFIG,
                            "posthaste-probe-" + settings.transactionalId())));
        }
        return admin;
    }

    private CompletableFuture<?> coordinator(Admin asked) {
        return unless(
                TransactionalIdNotFoundException.class,
                asked.describeTransactions(Set.of(settings.transactionalId()))
                        .all()
                        .toCompletionStage());
    }

    private CompletableFuture<?> position(Admin asked) {
        TopicPartition partition = new TopicPartition(settings.namespace().positionTopic(), 0);
        // Asked for its end alone, the client would look for a missing topic until its time is over.
        return unless(
                UnknownTopicOrPartitionException.class,
                asked.describeTopics(List.of(partition.topic()))
                        .allTopicNames()
                        .toCompletionStage()
                        .thenCompose(found -> asked.listOffsets(Map.of(partition, OffsetSpec.latest()))
                                .all()
                                .toCompletionStage()));
    }

    private static CompletableFuture<?> unless(Class<? extends KafkaException> answer, CompletionStage<?> asked) {
        return asked.handle((found, failure) -> {
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    if (cause != null && !answer.isInstance(cause)) {
                        throw new CompletionException(cause);
                    }
                    return found;
                })
                .toCompletableFuture();
    }

    @Override
    public void close() {
        if (admin != null) {
            admin.close(Duration.ZERO);
        }
    }
}

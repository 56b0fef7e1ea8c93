package dev.posthaste.relay.setup;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TimeoutException;

import dev.posthaste.relay.publishing.KafkaSettings;

/** Lists and makes topics. */
final class Topics implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Admin admin;

    Topics(KafkaSettings kafka) {
        this.admin = Admin.create(kafka.with(Map.of(
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis(),
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis())));
    }

    Set<String> names() throws InterruptedException {
        return await(admin.listTopics().names());
    }

    void create(Collection<NewTopic> topics) throws InterruptedException {
        await(admin.createTopics(List.copyOf(topics)).all());
    }

    private static <T> T await(KafkaFuture<T> future) throws InterruptedException {
        try {
            return future.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException failure ? failure : new KafkaException(e.getCause());
        } catch (java.util.concurrent.TimeoutException e) {
            throw new TimeoutException("Kafka did not answer within " + TIMEOUT.toSeconds() + " s", e);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }
}

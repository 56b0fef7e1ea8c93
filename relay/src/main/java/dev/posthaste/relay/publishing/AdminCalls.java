package dev.posthaste.relay.publishing;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TimeoutException;

/** Calls to Kafka's admin interface, each bounded in time. As thread-safe as {@link Admin}. */
public final class AdminCalls implements AutoCloseable {

    private final Admin admin;
    private final KafkaSettings kafka;
    private final Duration timeout;

    /**
     * Connects when first called.
     *
     * @param timeout of each call
     */
    public AdminCalls(KafkaSettings kafka, Duration timeout) {
        this.kafka = kafka;
        this.timeout = timeout;
        this.admin = Admin.create(kafka.with(Map.of(
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) timeout.toMillis(),
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) timeout.toMillis())));
    }

    /**
     * Makes a call and waits for its answer.
     *
     * @throws KafkaException if Kafka refuses or does not answer in time
     */
    public <T> T call(Function<Admin, KafkaFuture<T>> call) throws InterruptedException {
        try {
            return call.apply(admin).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TimeoutException late) {
                throw noAnswer(late);
            }
            throw e.getCause() instanceof KafkaException failure ? failure : new KafkaException(e.getCause());
        } catch (java.util.concurrent.TimeoutException e) {
            throw noAnswer(e);
        }
    }

    private TimeoutException noAnswer(Exception cause) {
        return new TimeoutException(
                kafka.bootstrapServers() + " did not answer within " + timeout.toMillis() + " ms", cause);
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }
}

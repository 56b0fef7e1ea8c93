package dev.posthaste.relay.publishing;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.routing.ClosedTopics;
import dev.posthaste.relay.routing.Unpublishable;

/**
 * The handlers' topics as the broker describes them: which can be written to, and how many partitions they have. One
 * that is gone or forbidden closes its handler alone; only the broker itself says so, since a send that fails may as
 * well be an outage. Looked at when a term begins, and again while one is closed: a topic that closes during a term
 * ends the term. Thread-safe.
 */
public final class HandlerTopics implements ClosedTopics {

    private final KafkaSettings kafka;
    private final Duration timeout;
    private final List<String> topics;
    private volatile Map<String, Unpublishable.Cause> closed = Map.of();
    private volatile Map<String, Integer> partitions = Map.of();

    private HandlerTopics(KafkaSettings kafka, Duration timeout, Collection<String> topics) {
        this.kafka = kafka;
        this.timeout = timeout;
        this.topics = List.copyOf(topics);
    }

    /**
     * Looks at topics.
     *
     * @param timeout of each call
     * @throws KafkaException if the broker does not answer
     */
    public static HandlerTopics look(KafkaSettings kafka, Duration timeout, Collection<String> topics)
            throws InterruptedException {
        HandlerTopics found = new HandlerTopics(kafka, timeout, topics);
        found.look();
        return found;
    }

    /** Looks again where a topic is closed; otherwise it asks nobody, and returns false. */
    public boolean lookAgain() throws InterruptedException {
        if (closed.isEmpty()) {
            return false;
        }
        look();
        return true;
    }

    private void look() throws InterruptedException {
        Map<String, Unpublishable.Cause> nowClosed = new HashMap<>();
        Map<String, Integer> counts = new HashMap<>();
        try (AdminCalls calls = new AdminCalls(kafka, timeout)) {
            Map<String, KafkaFuture<TopicDescription>> answers = calls.call(admin -> KafkaFuture.completedFuture(
                    admin.describeTopics(topics, new DescribeTopicsOptions().includeAuthorizedOperations(true))
                            .topicNameValues()));
            for (String topic : topics) {
                try {
                    TopicDescription description = calls.call(admin -> Objects.requireNonNull(answers.get(topic)));
                    counts.put(topic, description.partitions().size());
                    if (!mayWrite(description.authorizedOperations())) {
                        nowClosed.put(topic, Unpublishable.Cause.TOPIC_FORBIDDEN);
                    }
                } catch (UnknownTopicOrPartitionException e) {
                    nowClosed.put(topic, Unpublishable.Cause.TOPIC_MISSING);
                } catch (TopicAuthorizationException e) {
                    nowClosed.put(topic, Unpublishable.Cause.TOPIC_FORBIDDEN);
                }
            }
        }
        partitions = Map.copyOf(counts);
        closed = Map.copyOf(nowClosed);
    }

    private static boolean mayWrite(@Nullable Set<AclOperation> allowed) {
        return allowed == null || allowed.contains(AclOperation.WRITE); // null: a broker that does not tell
    }

    @Override
    public Unpublishable.@Nullable Cause why(String topic) {
        return closed.get(topic);
    }

    /** Which were looked at. */
    public List<String> topics() {
        return topics;
    }

    /** Which are closed, and why. */
    public Map<String, Unpublishable.Cause> closed() {
        return closed;
    }

    /** Whether none of the handlers could get anything; false where there are no handlers. */
    public boolean areAllClosed() {
        return !topics.isEmpty() && closed.size() == topics.size();
    }

    /** How many partitions each topic has that could be described. */
    public Map<String, Integer> partitions() {
        return partitions;
    }
}

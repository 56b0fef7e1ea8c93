package dev.posthaste.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** What the tests do with a broker. */
record KafkaClients(KafkaBroker broker) {

    Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
    }

    void createTopic(String name) throws Exception {
        try (Admin admin = admin()) {
            admin.createTopics(List.of(new NewTopic(name, 1, (short) 1))).all().get();
        }
    }

    KafkaProducer<String, String> transactionalProducer(String id) {
        KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers(), "transactional.id", id),
                new StringSerializer(),
                new StringSerializer());
        producer.initTransactions();
        return producer;
    }

    void commit(KafkaProducer<String, String> producer, String topic, String value) {
        producer.beginTransaction();
        var unused = producer.send(new ProducerRecord<>(topic, value));
        producer.commitTransaction();
    }

    void abort(KafkaProducer<String, String> producer, String topic, String value) throws Exception {
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(topic, value)).get();
        producer.abortTransaction();
    }

    /** Everything up to the end of the topic, as this isolation level sees it. */
    List<String> readAll(String topic, String isolationLevel) {
        TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers(), "isolation.level", isolationLevel),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = Objects.requireNonNull(
                    consumer.endOffsets(List.of(partition)).get(partition));
            List<String> values = new ArrayList<>();
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(100)).forEach(message -> values.add(message.value()));
            }
            return values;
        }
    }
}

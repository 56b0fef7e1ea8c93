package dev.posthaste.consumer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.Migrations;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.testkit.Stack;

/** A database with an inbox and a table of effects, a topic for each handler, and the consumers of one test. */
final class Scene implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    final Stack stack;
    final String database;
    final String namespace;
    final HikariDataSource dataSource;
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final Admin admin;
    private final KafkaProducer<byte[], byte[]> producer;
    private final List<PosthasteConsumer> consumers = new ArrayList<>();

    private Scene(Stack stack) throws SQLException {
        this.stack = stack;
        this.database = stack.postgres().createDatabase("inbox");
        this.namespace = database.replace('_', '-');
        Flyway.configure()
                .dataSource(stack.postgres().dataSource(database))
                .locations("classpath:" + Migrations.INBOX)
                .load()
                .migrate();
        this.dataSource = pool();
        this.admin = Admin.create(Map.of("bootstrap.servers", stack.kafka().bootstrapServers()));
        this.producer = new KafkaProducer<>(Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                stack.kafka().bootstrapServers(),
                ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                namespace,
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class,
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class));
        producer.initTransactions();
        execute("CREATE TABLE effect (seq bigserial, handler text, message_id uuid, key text, n int, tenant text)");
    }

    static Scene open(Stack stack, int partitions, String... handlers) throws Exception {
        Scene scene = new Scene(stack);
        scene.admin
                .createTopics(Arrays.stream(handlers)
                        .flatMap(handler -> Stream.of("", ".retry", ".dlt").map(kind -> scene.topic(handler) + kind))
                        .map(topic -> new NewTopic(topic, partitions, (short) 1))
                        .toList())
                .all()
                .get();
        return scene;
    }

    private HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(stack.postgres().jdbcUrl(database));
        config.setUsername(stack.postgres().superuser());
        config.setPassword(stack.postgres().password());
        config.setMaximumPoolSize(12);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(1_000);
        return new HikariDataSource(config);
    }

    String topic(String handler) {
        return namespace + "." + handler;
    }

    void publish(String handler, int partition, TestMessage... messages) {
        publish(handler, partition, List.of(messages));
    }

    /** One Kafka transaction, as the relay does it. */
    void publish(String handler, int partition, List<TestMessage> messages) {
        producer.beginTransaction();
        messages.forEach(message -> send(message.to(topic(handler), partition)));
        producer.commitTransaction();
    }

    void publishAndAbort(String handler, int partition, TestMessage message) throws Exception {
        producer.beginTransaction();
        producer.send(message.to(topic(handler), partition)).get();
        producer.abortTransaction();
    }

    void publishTo(String topic, TestMessage... messages) {
        producer.beginTransaction();
        for (TestMessage message : messages) {
            send(message.to(topic, 0));
        }
        producer.commitTransaction();
    }

    private void send(ProducerRecord<byte[], byte[]> record) {
        var unused = producer.send(record); // the commit tells of a failure
    }

    /** A handler that writes one row for every loan. */
    static Handler writing(String handler) {
        return Handler.handler(handler).on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> write(handler, event, tx));
    }

    static void write(String handler, Event<Loan> event, Transaction tx) throws SQLException {
        try (PreparedStatement insert = tx.connection()
                .prepareStatement("INSERT INTO effect (handler, message_id, key, n, tenant) VALUES (?, ?, ?, ?, ?)")) {
            insert.setString(1, handler);
            insert.setObject(2, event.id());
            insert.setString(3, event.payload().member());
            insert.setInt(4, event.payload().n());
            insert.setString(5, event.tenant());
            insert.executeUpdate();
        }
    }

    /** What {@link Loan#json} wrote. */
    static Loan loan(byte[] payload) throws IOException {
        JsonNode json = JSON.readTree(payload);
        return new Loan(json.required("member").asText(), json.required("n").asInt());
    }

    PosthasteConsumer.Builder builder(Handler... handlers) {
        List<String> names = Arrays.stream(handlers).map(Handler::name).toList();
        return builder(Catalogs.ofLoans(names.toArray(String[]::new)), handlers);
    }

    PosthasteConsumer.Builder builder(Catalog catalog, Handler... handlers) {
        PosthasteConsumer.Builder builder = PosthasteConsumer.builder()
                .namespace(namespace)
                .bootstrapServers(stack.kafka().bootstrapServers())
                .dataSource(dataSource)
                .catalog(catalog)
                .meters(meters)
                .settings(ConsumerSettings.defaults()
                        .withSessionTimeout(Duration.ofSeconds(6))
                        .withStoreBackoffMax(Duration.ofMillis(200)));
        for (Handler handler : handlers) {
            builder.handler(handler);
        }
        return builder;
    }

    /** Starts a consumer; it is closed with the scene at the latest. */
    PosthasteConsumer start(Handler... handlers) {
        return start(builder(handlers));
    }

    PosthasteConsumer start(PosthasteConsumer.Builder builder) {
        PosthasteConsumer consumer = builder.build();
        consumers.add(consumer);
        consumer.start();
        return consumer;
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = stack.postgres().connect(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of every row. */
    List<String> query(String sql) {
        try (Connection connection = stack.postgres().connect(database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> column = new ArrayList<>();
            while (rows.next()) {
                column.add(String.valueOf(rows.getString(1)));
            }
            return column;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Every row, its columns separated by a bar. */
    List<String> rows(String sql) {
        return query("SELECT concat_ws('|', VARIADIC ARRAY(SELECT value FROM json_each_text(row_to_json(r)))) FROM ("
                + sql + ") AS r");
    }

    /** The loans' numbers in the order of their effects. */
    List<String> effects(String handler) {
        return query("SELECT n FROM effect WHERE handler = '" + handler + "' ORDER BY seq");
    }

    List<UUID> completed(String handler) {
        return query("SELECT message_id FROM inbox.delivery WHERE state = 'completed' AND handler = '" + handler + "'")
                .stream()
                .map(UUID::fromString)
                .toList();
    }

    /** The group's committed offset; null for none. */
    @Nullable
    Long committed(String handler, int partition) {
        try {
            Map<TopicPartition, OffsetAndMetadata> offsets =
                    new HashMap<>(admin.listConsumerGroupOffsets(topic(handler))
                            .partitionsToOffsetAndMetadata()
                            .get());
            OffsetAndMetadata offset = offsets.get(new TopicPartition(topic(handler), partition));
            return offset == null ? null : offset.offset();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Everything on a topic, partition by partition, in order. */
    List<ConsumerRecord<byte[], byte[]>> records(String topic) {
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> reader = new KafkaConsumer<>(
                Map.of("bootstrap.servers", stack.kafka().bootstrapServers(), "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = reader.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            reader.assign(partitions);
            reader.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = reader.endOffsets(partitions);
            while (partitions.stream().anyMatch(p -> reader.position(p) < ends.get(p))) {
                reader.poll(Duration.ofMillis(200)).forEach(all::add);
            }
        }
        return all;
    }

    List<ConsumerRecord<byte[], byte[]>> deadLetters(String handler) {
        return records(topic(handler) + ".dlt");
    }

    static String header(ConsumerRecord<?, ?> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    /** How many deliveries are in that state. */
    int inState(String handler, String state) {
        return query("SELECT message_id FROM inbox.delivery WHERE handler = '" + handler + "' AND state = '" + state
                        + "'")
                .size();
    }

    /** How many members its group has. */
    int members(String handler) throws Exception {
        try {
            return admin.describeConsumerGroups(List.of(topic(handler)))
                    .describedGroups()
                    .values()
                    .iterator()
                    .next()
                    .get()
                    .members()
                    .size();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GroupIdNotFoundException) {
                return 0; // nobody has ever joined it
            }
            throw e;
        }
    }

    double attempts(String handler, String outcome) {
        Counter counter = meters.find("posthaste.delivery.attempts")
                .tag("handler", handler)
                .tag("outcome", outcome)
                .counter();
        return counter == null ? -1 : counter.count();
    }

    @Override
    public void close() {
        consumers.forEach(PosthasteConsumer::close);
        producer.close();
        admin.close();
        dataSource.close();
    }
}

package dev.posthaste.examples.library;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import dev.posthaste.relay.cli.FailedException;

/** Shows the last records of a topic with their headers, as a consumer with read_committed sees them. */
@Command(
        name = "topic",
        description =
                "Show the newest records of a topic with their headers. The defaults fit `posthaste demo --keep-running`.")
final class TopicCommand implements Callable<Integer> {

    private static final int LAST_MAX = 1_000;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--kafka",
            defaultValue = "127.0.0.1:29092",
            paramLabel = "SERVERS",
            description = "Bootstrap servers (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String kafka;

    @Option(names = "--last", defaultValue = "1", description = "How many (default: ${DEFAULT-VALUE}).")
    private int last;

    @Parameters(paramLabel = "TOPIC", description = "For example library.due-notice.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String topic;

    @Override
    public Integer call() {
        if (last < 1 || last > LAST_MAX) {
            throw new IllegalArgumentException("--last is " + last + ", but must be 1 to " + LAST_MAX);
        }
        PrintWriter out = spec.commandLine().getOut();
        for (ConsumerRecord<String, String> message : newest()) {
            out.println(message.topic() + "-" + message.partition() + " offset " + message.offset() + " key "
                    + message.key());
            message.headers()
                    .forEach(header -> out.println(
                            "  " + header.key() + ": " + new String(header.value(), StandardCharsets.UTF_8)));
            out.println("  " + message.value());
        }
        out.flush();
        return 0;
    }

    private Deque<ConsumerRecord<String, String>> newest() {
        Deque<ConsumerRecord<String, String>> newest = new ArrayDeque<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", kafka,
                        "isolation.level", "read_committed",
                        "enable.auto.commit", "false",
                        "allow.auto.create.topics", "false",
                        "default.api.timeout.ms", "5000"),
                new StringDeserializer(),
                new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            if (partitions.isEmpty()) {
                throw new FailedException("there is no topic " + topic + " at " + kafka);
            }
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            // Each record may be followed by the marker of its transaction.
            consumer.beginningOffsets(partitions)
                    .forEach((partition, begin) ->
                            consumer.seek(partition, Math.max(begin, ends.getOrDefault(partition, 0L) - 2L * last)));
            while (partitions.stream()
                    .anyMatch(partition -> consumer.position(partition) < ends.getOrDefault(partition, 0L))) {
                for (ConsumerRecord<String, String> message : consumer.poll(Duration.ofMillis(200))) {
                    newest.add(message);
                }
            }
        }
        return newest.stream()
                .sorted(Comparator.comparingLong(ConsumerRecord<String, String>::timestamp)
                        .reversed())
                .limit(last)
                .collect(Collectors.toCollection(ArrayDeque::new));
    }
}

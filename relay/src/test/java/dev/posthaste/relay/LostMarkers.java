package dev.posthaste.relay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.internal.FileRecords;

import dev.posthaste.testkit.EmbeddedKafka;

/**
 * Takes the markers of the last transaction out of a stopped broker's partitions. What is left is what a broker leaves
 * that loses them: a transaction that is over for its coordinator, and open on the partition.
 */
final class LostMarkers {

    private static final String SEGMENT = "00000000000000000000.log";

    private final EmbeddedKafka kafka;
    private final Map<Path, Long> sizes = new HashMap<>();

    /** Looks at what is there before the transaction. */
    LostMarkers(EmbeddedKafka kafka, Collection<String> topics) {
        this.kafka = kafka;
        topics.forEach(topic ->
                partitions(topic).forEach(partition -> sizes.put(partition, size(partition.resolve(SEGMENT)))));
    }

    /** The partitions of a topic that were written to since; those of all topics where none is named. */
    List<Path> written(String... topics) {
        return sizes.keySet().stream()
                .filter(partition -> topics.length == 0
                        || Stream.of(topics)
                                .anyMatch(topic ->
                                        partition.getFileName().toString().matches("\\Q" + topic + "\\E-\\d+")))
                .filter(partition -> size(partition.resolve(SEGMENT)) > sizes.get(partition))
                .sorted()
                .toList();
    }

    /** Stops the broker, takes the last marker out of each of these partitions, and starts the broker. */
    void lose(List<Path> partitions) {
        kafka.stop();
        partitions.forEach(LostMarkers::lose);
        try {
            // Else the broker trusts what it stored about producers, and rebuilds nothing from the log.
            Files.delete(kafka.logDirectory().resolve(".kafka_cleanshutdown"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        kafka.start();
    }

    private static void lose(Path partition) {
        Path log = partition.resolve(SEGMENT);
        try {
            int end = endWithoutLastMarker(log);
            try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
                channel.truncate(end);
            }
            try (Stream<Path> files = Files.list(partition)) {
                for (Path file : files.toList()) {
                    if (file.getFileName().toString().matches(".*\\.(snapshot|index|timeindex|txnindex)")) {
                        Files.delete(file);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int endWithoutLastMarker(Path log) throws IOException {
        FileChannelRecordBatch last = null;
        try (FileRecords records = FileRecords.open(log.toFile(), false)) {
            for (FileChannelRecordBatch batch : records.batches()) {
                last = batch;
            }
            if (last == null || !last.isControlBatch()) {
                throw new IllegalStateException(log + " does not end with a marker");
            }
            return last.position();
        }
    }

    private List<Path> partitions(String topic) {
        try (Stream<Path> all = Files.list(kafka.logDirectory())) {
            return all.filter(directory -> directory.getFileName().toString().matches("\\Q" + topic + "\\E-\\d+"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

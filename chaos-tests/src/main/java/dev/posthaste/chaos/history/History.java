package dev.posthaste.chaos.history;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;

/** What a run has left: all entries of the {@code *.jsonl} files of a directory, in the order of their files. */
public final class History {

    private static final ObjectMapper JSON = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .build();

    private final List<Entry> entries;

    /** Of these entries. */
    public History(List<Entry> entries) {
        this.entries = List.copyOf(entries);
    }

    /**
     * Reads a directory. A last line that was cut off, as a process that was killed leaves it, is left out; one in the
     * middle is an error.
     *
     * @throws IOException when a file cannot be read, or a line is no entry: names both
     */
    public static History read(Path directory) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".jsonl"))
                    .sorted()
                    .toList()) {
                read(file, entries);
            }
        }
        return new History(entries);
    }

    private static void read(Path file, List<Entry> entries) throws IOException {
        String text = Files.readString(file);
        List<String> lines = text.lines().toList();
        int whole = text.endsWith("\n") ? lines.size() : lines.size() - 1;
        for (int i = 0; i < whole; i++) {
            try {
                entries.add(JSON.readValue(lines.get(i), Entry.class));
            } catch (JsonProcessingException e) {
                throw new IOException(file + ", line " + (i + 1) + ": " + e.getOriginalMessage(), e);
            }
        }
    }

    /** An entry as its line, the line's end included. */
    static byte[] line(Entry entry) throws JsonProcessingException {
        return (JSON.writerFor(Entry.class).writeValueAsString(entry) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** All entries. */
    public List<Entry> entries() {
        return entries;
    }

    /** Those of one kind, in order. */
    public <T extends Entry> List<T> of(Class<T> kind) {
        return entries.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /**
     * The only one of its kind.
     *
     * @throws IllegalStateException where there is none, or several
     */
    public <T extends Entry> T one(Class<T> kind) {
        List<T> all = of(kind);
        if (all.size() != 1) {
            throw new IllegalStateException(
                    "the history has " + all.size() + " entries of " + kind.getSimpleName() + ", but must have one");
        }
        return all.get(0);
    }
}

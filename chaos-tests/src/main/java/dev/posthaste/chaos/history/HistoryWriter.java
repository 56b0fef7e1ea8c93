package dev.posthaste.chaos.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import com.fasterxml.jackson.core.JsonProcessingException;

/** Appends entries to a file, each as a line of JSON that is whole or not there. Thread-safe. */
public final class HistoryWriter implements AutoCloseable {

    private final FileChannel file;

    private HistoryWriter(FileChannel file) {
        this.file = file;
    }

    /** Opens a file of a history, to go on at its end; made where there is none. */
    public static HistoryWriter open(Path file) {
        try {
            return new HistoryWriter(FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
        } catch (IOException e) {
            throw new UncheckedIOException("the history " + file + " cannot be written", e);
        }
    }

    /** Appends an entry. */
    public synchronized void write(Entry entry) {
        try {
            ByteBuffer line = ByteBuffer.wrap(History.line(entry));
            while (line.hasRemaining()) {
                file.write(line);
            }
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(entry + " is no JSON", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Appends an entry and waits until the disk has it. */
    public synchronized void writeThrough(Entry entry) {
        write(entry);
        try {
            file.force(false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

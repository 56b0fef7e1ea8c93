package dev.posthaste.chaos.world;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A file system of little room in memory, that can be filled and emptied. Used by one thread. */
public final class SmallDisk implements AutoCloseable {

    private static final int CHUNK = 1 << 20;

    private final Path mount;

    private SmallDisk(Path mount) {
        this.mount = mount;
    }

    /** Why there can be none on this machine; empty: there can. */
    public static Optional<String> obstacle() {
        try {
            Path probe = Files.createTempDirectory("chaos-disk");
            try (SmallDisk disk = mount(probe, 1)) {
                return Optional.empty();
            } catch (IOException e) {
                return Optional.of("no file system can be mounted here: " + e.getMessage());
            } finally {
                Files.deleteIfExists(probe);
            }
        } catch (IOException e) {
            return Optional.of(e.toString());
        }
    }

    static SmallDisk mount(Path directory, int megabytes) throws IOException {
        Files.createDirectories(directory);
        SystemCommand.run(
                "mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m,mode=0755", "tmpfs", directory.toString());
        return new SmallDisk(directory);
    }

    Path path() {
        return mount;
    }

    /** Leaves no room. */
    public void fill() throws IOException {
        byte[] chunk = new byte[CHUNK];
        try (OutputStream filler = Files.newOutputStream(filler())) {
            while (true) {
                filler.write(chunk);
            }
        } catch (IOException e) {
            if (free() > CHUNK) {
                throw e; // not for want of room
            }
        }
    }

    /** Gives the room back. */
    public void empty() throws IOException {
        Files.deleteIfExists(filler());
    }

    private Path filler() {
        return mount.resolve("filler");
    }

    /** Bytes that are free. */
    public long free() throws IOException {
        return Files.getFileStore(mount).getUsableSpace();
    }

    @Override
    public void close() throws IOException {
        SystemCommand.run("umount", "-l", mount.toString());
    }
}

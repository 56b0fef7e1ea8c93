package dev.posthaste.chaos.scenario;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A process can be given another clock only by a library that is loaded before all others. */
final class ClockJump {

    private static final List<Path> PLACES = List.of(
            Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"),
            Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"),
            Path.of("/usr/lib64/faketime/libfaketimeMT.so.1"));

    private ClockJump() {}

    static Optional<Path> library() {
        return PLACES.stream().filter(Files::exists).findFirst();
    }

    static Optional<String> obstacle() {
        return library().isPresent() ? Optional.empty() : Optional.of("libfaketime is not installed");
    }
}

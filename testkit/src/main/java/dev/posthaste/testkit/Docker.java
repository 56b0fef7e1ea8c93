package dev.posthaste.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;

import org.testcontainers.DockerClientFactory;

/** Whether a Docker engine answers. */
final class Docker {

    private Docker() {}

    /**
     * Asks Testcontainers only where something hints at an engine: without one, its own search takes seconds and logs
     * errors.
     */
    static boolean isAvailable() {
        return isHinted() && DockerClientFactory.instance().isDockerAvailable();
    }

    static void require() {
        if (!isAvailable()) {
            throw new TestkitException(
                    "Containers were asked for (" + StackKind.PROPERTY + "=containers) and no Docker engine answers."
                            + " Start one, or use -D" + StackKind.PROPERTY + "=embedded.",
                    null);
        }
    }

    private static boolean isHinted() {
        String home = System.getProperty("user.home", "");
        Stream<String> places = Stream.of(
                "/var/run/docker.sock",
                home + "/.docker/run/docker.sock",
                home + "/.docker/desktop/docker.sock",
                home + "/.testcontainers.properties",
                Objects.requireNonNullElse(System.getenv("XDG_RUNTIME_DIR"), "/run") + "/docker.sock");
        return System.getenv("DOCKER_HOST") != null
                || System.getenv("TESTCONTAINERS_HOST_OVERRIDE") != null
                || places.map(Path::of).anyMatch(Files::exists);
    }
}

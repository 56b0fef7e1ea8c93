package dev.posthaste.testkit;

import java.util.List;

import org.testcontainers.containers.GenericContainer;

/** What both containers do with their settings. */
final class ContainerPorts {

    private ContainerPorts() {}

    /** Binds a fixed port on loopback; 0 leaves the choice to Docker. */
    static void bind(GenericContainer<?> container, int hostPort, int containerPort) {
        if (hostPort != 0) {
            container.setPortBindings(List.of("127.0.0.1:" + hostPort + ":" + containerPort));
        }
    }

    static void refuseDirectory(ServerSettings settings, String server) {
        if (settings.directory() != null) {
            throw new TestkitException(
                    server + " was given the directory " + settings.directory() + " to keep, which containers do not"
                            + " do. Use -D" + StackKind.PROPERTY + "=embedded.",
                    null);
        }
    }
}

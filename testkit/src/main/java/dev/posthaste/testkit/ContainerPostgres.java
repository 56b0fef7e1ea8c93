package dev.posthaste.testkit;

import java.util.ArrayList;
import java.util.List;

import org.testcontainers.postgresql.PostgreSQLContainer;

/** PostgreSQL in a container, with the settings the embedded one has. */
final class ContainerPostgres implements PostgresServer {

    private final PostgreSQLContainer container;

    private ContainerPostgres(PostgreSQLContainer container) {
        this.container = container;
    }

    static ContainerPostgres launch(ServerSettings settings) {
        ContainerPorts.refuseDirectory(settings, "PostgreSQL");
        PostgreSQLContainer container = new PostgreSQLContainer(Images.POSTGRES);
        container.withDatabaseName("postgres").withUsername("postgres").withPassword(Passwords.random());
        container.withCommand(command(settings).toArray(String[]::new));
        ContainerPorts.bind(container, settings.port(), PostgreSQLContainer.POSTGRESQL_PORT);
        container.start();
        ContainerPostgres server = new ContainerPostgres(container);
        try {
            PostgresOptions.verify(server);
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static List<String> command(ServerSettings settings) {
        List<String> command = new ArrayList<>(List.of("postgres"));
        PostgresOptions.with(settings.options()).forEach((name, value) -> {
            command.add("-c");
            command.add(name + "=" + value);
        });
        return command;
    }

    @Override
    public String host() {
        return container.getHost();
    }

    @Override
    public int port() {
        return container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT);
    }

    @Override
    public String superuser() {
        return container.getUsername();
    }

    @Override
    public String password() {
        return container.getPassword();
    }

    @Override
    public void close() {
        container.stop();
    }
}

package dev.posthaste.relay.cli;

import java.io.IOException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import dev.posthaste.relay.Relay;
import dev.posthaste.relay.RelayHealth;
import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.RelayStateGauges;
import dev.posthaste.relay.doctor.Doctor;
import dev.posthaste.relay.health.HealthServer;
import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.schemas.catalog.CatalogReader;

/** {@code posthaste relay}: runs until it is told to stop by SIGTERM or SIGINT. */
@Command(
        name = "relay",
        description = "Run a relay: lead if nobody does, else stand by. Ends with SIGTERM, draining first.")
final class RelayCommand implements Callable<Integer> {

    private static final Logger log = LoggerFactory.getLogger(RelayCommand.class);

    /** Beyond the drain: closing the engine, the producer and the connections. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(15);

    @Mixin
    private final SettingsOptions options = new SettingsOptions();

    @Override
    public Integer call() throws Exception {
        RelaySettings settings = options.read();
        CatalogReader.read(settings.catalog()); // a catalog that is wrong from the start is a usage error, not a halt
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (JvmGcMetrics gc = new JvmGcMetrics()) {
            gc.bindTo(registry);
            new JvmMemoryMetrics().bindTo(registry);
            new JvmThreadMetrics().bindTo(registry);
            new ProcessorMetrics().bindTo(registry);
            RelayMeters meters = new RelayMeters(registry);
            Relay relay = new Relay(
                    settings,
                    new Doctor(settings, Clock.systemUTC())::preflight,
                    ProcessName.unique(),
                    Clock.systemUTC(),
                    meters);
            RelayStateGauges.register(registry, relay::state);
            try (HealthServer http = serve(settings.http(), new RelayHealth(relay), registry)) {
                log.info("serving health and metrics on {}", http.address());
                return runUntilTold(relay, settings);
            }
        }
    }

    private static HealthServer serve(
            RelaySettings.HttpSettings http, RelayHealth health, PrometheusMeterRegistry registry) {
        try {
            return new HealthServer(http.host(), http.port(), health::live, health::ready, registry::scrape);
        } catch (IOException | UnresolvedAddressException e) {
            String why = e.getMessage() == null ? "unknown host" : e.getMessage();
            throw new UsageException("http.host is " + http.host() + " and http.port is " + http.port()
                    + ", but nothing can listen there: " + why + "; choose another, or end what listens there");
        }
    }

    private static int runUntilTold(Relay relay, RelaySettings settings) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        Duration bound = settings.drain().plus(CLOSE_TIMEOUT);
        // The JVM ends when its shutdown hooks do: this one waits until everything is closed, or the bound is reached.
        Thread hook = new Thread(
                () -> {
                    try {
                        relay.stop(bound);
                        boolean unused = ended.await(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "posthaste-shutdown");
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException e) {
            return ExitCode.OK; // told to stop before it began
        }
        try {
            relay.start();
            relay.join();
            return ExitCode.OK;
        } finally {
            ended.countDown();
        }
    }
}

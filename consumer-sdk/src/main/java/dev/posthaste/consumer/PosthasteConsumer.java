package dev.posthaste.consumer;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.internal.Arrivals;
import dev.posthaste.consumer.internal.Breaker;
import dev.posthaste.consumer.internal.CatalogCheck;
import dev.posthaste.consumer.internal.Decoder;
import dev.posthaste.consumer.internal.FailurePolicy;
import dev.posthaste.consumer.internal.FigureKeeper;
import dev.posthaste.consumer.internal.HandlerLoop;
import dev.posthaste.consumer.internal.HandlerSetup;
import dev.posthaste.consumer.internal.Heartbeat;
import dev.posthaste.consumer.internal.InboxKeeper;
import dev.posthaste.consumer.internal.KafkaSettings;
import dev.posthaste.consumer.internal.Ownership;
import dev.posthaste.consumer.internal.StoreGate;
import dev.posthaste.consumer.internal.Worker;
import dev.posthaste.consumer.internal.outcomes.OutcomePublisher;
import dev.posthaste.schemas.Namespace;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.DeliveryOrder;
import dev.posthaste.schemas.catalog.HandlerRecord;

/**
 * Runs handlers: for each it joins the group {@code <namespace>.<handler>} on the topic of that name, and has every
 * message's effect once, in the database behind the data source, where the inbox is.
 *
 * <p>A message that cannot be handled is tried again later by its handler's policy and becomes a dead letter at its
 * end; all others go on meanwhile, but for those of its key where the handler has order per key. While the database or
 * Kafka is away nothing is stopped: it pauses and goes on by itself. Thread-safe. Its threads are named
 * {@code posthaste-…} and end with {@link #close()}.
 */
public final class PosthasteConsumer implements AutoCloseable {

    private static final Duration KEEP_EVERY = Duration.ofHours(1);

    private final List<HandlerLoop> loops;
    private final InboxKeeper keeper;
    private final Heartbeat heartbeat = new Heartbeat();
    private final FigureKeeper figures;
    private final OutcomePublisher outcomes;
    private final StoreGate inboxGate;
    private final Duration drainTimeout;
    private final MeterRegistry registry;
    private final List<Gauge> gauges;
    private boolean started;

    private PosthasteConsumer(Builder builder) {
        this.inboxGate = new StoreGate("the inbox's database", builder.settings.storeBackoffMax(), System::nanoTime);
        Worker worker = Worker.here();
        this.loops = builder.loops(inboxGate, worker, heartbeat);
        this.figures = new FigureKeeper(given(builder.dataSource, "dataSource"), inboxGate, loops);
        this.outcomes = builder.outcomes(loops, inboxGate, worker);
        this.drainTimeout = builder.settings.drainTimeout();
        this.registry = given(builder.meters, "meters");
        this.keeper = new InboxKeeper(
                given(builder.dataSource, "dataSource"),
                loops.stream().map(HandlerLoop::ownership).toList(),
                builder.settings.retentionOrNull(),
                KEEP_EVERY,
                registry);
        this.gauges = List.of(available("inbox", inboxGate::isAvailable), available("kafka", () -> loops.stream()
                .allMatch(HandlerLoop::isKafkaAvailable)));
    }

    private Gauge available(String store, BooleanSupplier isAvailable) {
        return Gauge.builder("posthaste.store.available", isAvailable, is -> is.getAsBoolean() ? 1 : 0)
                .description("1 while the store answers, else 0")
                .tag("store", store)
                .strongReference(true)
                .register(registry);
    }

    /** Begins one. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts the handlers' threads and returns at once, whether or not Kafka and the database are there yet.
     *
     * @throws IllegalStateException if it was started or closed before; make a new one
     */
    public synchronized void start() {
        if (started) {
            throw new IllegalStateException("the consumer was started or closed before; build a new one");
        }
        started = true;
        keeper.start();
        figures.start();
        outcomes.start();
        loops.forEach(HandlerLoop::start);
    }

    /** How it is now. Asks no store. */
    public ConsumerHealth health() {
        return new ConsumerHealth(
                inboxGate.isAvailable(),
                inboxGate.why(),
                loops.stream().map(HandlerLoop::health).toList());
    }

    /**
     * Takes nothing more, finishes the chunks in hand, commits their offsets and leaves the groups. What is not
     * finished in time is interrupted and rolled back; it comes again elsewhere. Later calls wait for the first.
     *
     * @param bound how long it waits for chunks in hand; committing and leaving may take 5 s more
     * @return whether all that was in hand was finished
     */
    public boolean drain(Duration bound) {
        synchronized (this) {
            started = true; // one that is drained before its start never starts
        }
        keeper.stop();
        figures.stop();
        loops.forEach(loop -> loop.stop(bound));
        boolean drained = true;
        try {
            for (HandlerLoop loop : loops) {
                drained &= loop.awaitEnd();
            }
            outcomes.stop();
            gauges.forEach(registry::remove);
            return drained;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            heartbeat.close();
        }
    }

    /** Drains within {@link ConsumerSettings#drainTimeout()}. A second call does nothing. */
    @Override
    public void close() {
        drain(drainTimeout);
    }

    private static <T> T given(@Nullable T value, String name) {
        if (value == null) {
            throw new IllegalStateException(name + " is missing; call " + name + "(...) before build()");
        }
        return value;
    }

    /** Collects what a consumer needs. All but {@code settings}, {@code json} and {@code kafka} must be given. */
    public static final class Builder {

        private final List<Handler> handlers = new ArrayList<>();
        private @Nullable Namespace namespace;
        private @Nullable String bootstrapServers;
        private @Nullable DataSource dataSource;
        private @Nullable Catalog catalog;
        private @Nullable MeterRegistry meters;
        private ConsumerSettings settings = ConsumerSettings.defaults();
        private ObjectMapper json = JsonMapper.builder()
                .addModule(new JavaTimeModule())
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
        private Map<String, String> kafka = Map.of();

        private Builder() {}

        /** Sets the first part of the topics' names, for example {@code library}. */
        public Builder namespace(String name) {
            this.namespace = new Namespace(name);
            return this;
        }

        /** Sets where Kafka is: {@code host:port}, separated by commas. */
        public Builder bootstrapServers(String servers) {
            this.bootstrapServers = servers;
            return this;
        }

        /** Sets the database with the inbox and the effects; best a pool with a connection for every lane. */
        public Builder dataSource(DataSource source) {
            this.dataSource = source;
            return this;
        }

        /** Sets the catalog, in which every handler must have its record. */
        public Builder catalog(Catalog records) {
            this.catalog = records;
            return this;
        }

        /** Sets where it counts; a registry for each consumer, or each with common tags of its own. */
        public Builder meters(MeterRegistry registry) {
            this.meters = registry;
            return this;
        }

        /** Adds a handler; at least one. */
        public Builder handler(Handler handler) {
            handlers.add(handler);
            return this;
        }

        /** Sets how handlers are run; default: {@link ConsumerSettings#defaults()}. */
        public Builder settings(ConsumerSettings newSettings) {
            this.settings = newSettings;
            return this;
        }

        /** Sets what reads JSON payloads; default: one that knows java.time and leaves out unknown properties. */
        public Builder json(ObjectMapper mapper) {
            this.json = mapper;
            return this;
        }

        /**
         * Sets further settings of all its Kafka clients, for example their security: the consumers, the producers that
         * emit retries, dead letters and outcomes, and the admin client that asks how long a topic keeps its records.
         * {@code request.timeout.ms} and {@code default.api.timeout.ms} are the consumers' alone; the others' are
         * short.
         *
         * @throws IllegalArgumentException if one of them is set by the SDK itself, because a promise rests on it: it
         *     names the setting, its value and the promise
         */
        public Builder kafka(Map<String, String> further) {
            KafkaSettings.check(further);
            this.kafka = Map.copyOf(further);
            return this;
        }

        /**
         * Makes the consumer; it does not run yet.
         *
         * @throws IllegalStateException if something is missing
         * @throws IllegalArgumentException if a handler has no catalog record or is not what its record says, if two
         *     have one name, or if Kafka refuses its settings
         */
        public PosthasteConsumer build() {
            if (handlers.isEmpty()) {
                throw new IllegalStateException("there is no handler; call handler(...) before build()");
            }
            Set<String> names = new HashSet<>();
            for (Handler handler : handlers) {
                if (!names.add(handler.name())) {
                    throw new IllegalArgumentException("handler " + handler.name() + " is there twice; keep one");
                }
                CatalogCheck.accept(given(catalog, "catalog"), handler.name(), handler.routes(), handler.options());
                handler.options().requireFits(handler.name(), settings);
            }
            return new PosthasteConsumer(this);
        }

        private List<HandlerLoop> loops(StoreGate inboxGate, Worker worker, Heartbeat heartbeat) {
            return handlers.stream()
                    .map(handler -> new HandlerLoop(setup(handler, inboxGate, worker), heartbeat))
                    .toList();
        }

        private OutcomePublisher outcomes(List<HandlerLoop> loops, StoreGate inboxGate, Worker worker) {
            return new OutcomePublisher(
                    given(namespace, "namespace").outcomesTopic(),
                    loops.stream().map(HandlerLoop::outcomes).toList(),
                    given(dataSource, "dataSource"),
                    inboxGate,
                    KafkaSettings.ofOutcomes(given(bootstrapServers, "bootstrapServers"), kafka),
                    worker,
                    Clock.systemUTC());
        }

        private HandlerSetup setup(Handler handler, StoreGate inboxGate, Worker worker) {
            Namespace ns = given(namespace, "namespace");
            String servers = given(bootstrapServers, "bootstrapServers");
            HandlerSetup.Topics topics = new HandlerSetup.Topics(
                    ns.topic(handler.name()), ns.retryTopic(handler.name()), ns.deadLetterTopic(handler.name()));
            HandlerRecord record =
                    given(catalog, "catalog").handler(handler.name()).orElseThrow();
            boolean perKey = record.order() == DeliveryOrder.PER_KEY;
            Arrivals arrivals = new Arrivals(topics.retry(), perKey);
            FailurePolicy failurePolicy = handler.options().failurePolicy(record, Clock.systemUTC());
            return new HandlerSetup(
                    handler.name(),
                    new Ownership(handler.name(), ns.name(), Clock.systemUTC(), System::nanoTime),
                    topics,
                    new Decoder(handler.routes(), json, arrivals),
                    arrivals,
                    failurePolicy,
                    perKey,
                    record.onDeadLetter(),
                    handler.options().leasing(record),
                    handler.options().concurrency(),
                    new HandlerSetup.Clients(
                            KafkaSettings.of(servers, topics.main(), settings, kafka),
                            KafkaSettings.ofProducer(servers, kafka)),
                    given(dataSource, "dataSource"),
                    inboxGate,
                    new Breaker(
                            handler.name(),
                            settings.breaker(),
                            failurePolicy.retry().horizon(),
                            System::nanoTime,
                            Clock.systemUTC()),
                    settings,
                    given(meters, "meters"),
                    worker,
                    Clock.systemUTC());
        }
    }
}

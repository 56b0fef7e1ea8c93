package dev.posthaste.consumer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.internal.HandlerOptions;
import dev.posthaste.consumer.internal.Reader;
import dev.posthaste.consumer.internal.Route;
import dev.posthaste.consumer.internal.Work;
import dev.posthaste.schemas.catalog.OnDeadLetter;

/**
 * A handler: its name, what it reads, and what it does with it.
 *
 * <pre>{@code
 * handler("due-notice")
 *     .on("library.loan-borrowed", 1, LoanBorrowed.class)
 *     .handle((event, tx) -> ...)
 * }</pre>
 *
 * <p>Types and versions of one kind of payload share a function ({@code .on(...).on(...).handle(...)}); others follow
 * with functions of their own ({@code .handle(...).on(...).handle(...)}). Together they must be what the handler's
 * catalog record subscribes to, neither more nor less. Immutable and thread-safe if its functions are.
 */
public final class Handler {

    private final String name;
    private final List<Route<?>> routes;
    private final HandlerOptions options;

    private Handler(String name, List<Route<?>> routes, HandlerOptions options) {
        this.name = name;
        this.routes = List.copyOf(routes);
        this.options = options;
    }

    /** Begins a handler under the name of its catalog record. */
    public static Handler handler(String name) {
        return new Handler(name, List.of(), HandlerOptions.NONE);
    }

    /**
     * Narrows the retry policy of the catalog record: fewer attempts, shorter delays, a nearer horizon. Wider is
     * refused when the consumer is built. Without this call the record decides.
     */
    public Handler retry(RetryPolicy policy) {
        return new Handler(name, routes, options.withRetry(policy));
    }

    /**
     * Names failures that no other attempt would mend: their messages are dead letters at once. A failure counts if it,
     * or one of its causes, is of such a class; the dead letter's code is the name of that class's failure.
     */
    @SafeVarargs
    public final Handler permanent(Class<? extends Throwable>... failures) {
        return new Handler(name, routes, options.withPermanent(List.of(failures)));
    }

    /**
     * Promises order per key, which the catalog record must promise as well, with what a dead letter does to the later
     * messages of its key. Without this call the record decides.
     */
    public Handler perKey(OnDeadLetter onDeadLetter) {
        return new Handler(name, routes, options.withPerKey(onDeadLetter));
    }

    /**
     * Sets how long a claim of a leased handler is good for without being renewed: so long after the death of a process
     * its messages wait. The SDK renews it while the call runs.
     *
     * @param lease from 1 s to 1 h, and longer than {@link ConsumerSettings#lockTimeout()}; default 30 s
     */
    public Handler lease(Duration lease) {
        return new Handler(
                name, routes, options.withLeasing(options.leasingOrDefault().withLease(lease)));
    }

    /**
     * Sets after what time a call of a leased handler is taken for hung: its lease ends, the attempt counts as failed,
     * and the next one may follow while it still hangs. {@link Call#extendLease} gives one call more.
     *
     * @param max from the lease to 24 h; default 5 min
     */
    public Handler callMax(Duration max) {
        return new Handler(
                name, routes, options.withLeasing(options.leasingOrDefault().withCallMax(max)));
    }

    /**
     * Runs messages of different keys of one partition at the same time; those of one key stay in order. Every chunk at
     * work has a thread and a connection of its own, so the pool behind the data source should hold {@code chunks}
     * times {@link ConsumerSettings#lanesMax()}, which together may be 256 at most.
     *
     * @param chunks most at a time for each partition; from 1 to 64, default 1
     */
    public Handler concurrency(int chunks) {
        return new Handler(name, routes, options.withConcurrency(chunks));
    }

    /**
     * Reads one version of a type as JSON.
     *
     * @param payload what Jackson reads it into; properties it does not know are left out
     */
    public <T> Reading<T> on(String type, int schemaVersion, Class<T> payload) {
        return new Reading<T>(this, List.of(), null).on(type, schemaVersion, payload);
    }

    /** Reads one version of a type with a reader of your own. */
    public <T> Reading<T> on(String type, int schemaVersion, PayloadReader<? extends T> reader) {
        return new Reading<T>(this, List.of(), null).on(type, schemaVersion, reader);
    }

    /** The name. */
    public String name() {
        return name;
    }

    List<Route<?>> routes() {
        return routes;
    }

    HandlerOptions options() {
        return options;
    }

    private Handler with(List<Route<?>> further) {
        List<Route<?>> all = new ArrayList<>(routes);
        all.addAll(further);
        return new Handler(name, all, options);
    }

    /**
     * Types and versions that are read into one kind of payload, before it is said what is done with them. Immutable.
     *
     * @param <T> that kind of payload
     */
    public static final class Reading<T> {

        private final Handler handler;
        private final List<Source<T>> sources;
        private final @Nullable Function<Event<T>, String> businessKey;

        private Reading(Handler handler, List<Source<T>> sources, @Nullable Function<Event<T>, String> businessKey) {
            this.handler = handler;
            this.sources = sources;
            this.businessKey = businessKey;
        }

        /** Reads one more version or type, into the same kind of payload. */
        public Reading<T> on(String type, int schemaVersion, Class<? extends T> payload) {
            return with(new Source<>(type, schemaVersion, Reader.json(payload)));
        }

        /** Reads one more version or type with a reader of your own. */
        public Reading<T> on(String type, int schemaVersion, PayloadReader<? extends T> reader) {
            return with(new Source<>(type, schemaVersion, Reader.of(reader)));
        }

        /** Reads an older version into its own class and lifts it to the kind of payload the function takes. */
        public <U> Reading<T> on(
                String type, int schemaVersion, Class<U> payload, Function<? super U, ? extends T> upcast) {
            return with(new Source<>(type, schemaVersion, Reader.json(payload).map(upcast)));
        }

        /**
         * Has the effect once per tenant and key, whatever number of messages bring it, on whatever days, for as long
         * as the inbox's retention. Without this call the message id is that key; it counts beside this one as well.
         *
         * <p>Another message with a used key and the same bytes is completed without being run. One with other bytes is
         * a dead letter with the code {@code idempotency-conflict}, as one without a usable key is with
         * {@code bad-idempotency-key}. A failed attempt uses no key; but a message of a leased handler has its key from
         * its first call until it is a dead letter, and others with that key wait for it, which costs them no attempt.
         *
         * @param key makes the key: always the same of the same message; neither null nor blank, and at most 512
         *     characters long, as {@link String#length()} counts them
         */
        public Reading<T> idempotentBy(Function<Event<T>, String> key) {
            return new Reading<>(handler, sources, key);
        }

        /** Says what is done with each of them; more may follow with {@link Handler#on}. */
        public Handler handle(EventHandler<T> function) {
            return decide((event, tx) -> {
                function.handle(event, tx);
                return Outcome.done();
            });
        }

        /** Says what is done with each of them, by a function that says what came of it. */
        public Handler decide(DecidingHandler<T> function) {
            return work(new Work.Each<>(function));
        }

        /** Says what is done with several of them at once; if that fails, with one after the other. */
        public Handler handleAll(BatchHandler<T> function) {
            return work(new Work.Batch<>(function));
        }

        /**
         * Says what is done with each of them outside any transaction, under a lease; for handlers whose catalog record
         * says {@code mode: leased}, and only for them.
         */
        public Handler call(CallHandler<T> function) {
            return work(new Work.Leased<>(function));
        }

        /** Sends each of them through a bus, in a scope of its own; the only way for journey-step commands. */
        public Handler through(CommandBus bus) {
            return work(new Work.Command<>(bus));
        }

        private Handler work(Work<T> work) {
            List<Route<?>> further = new ArrayList<>();
            sources.forEach(source -> further.add(source.to(work, businessKey)));
            return handler.with(further);
        }

        private Reading<T> with(Source<T> further) {
            List<Source<T>> all = new ArrayList<>(sources);
            all.add(further);
            return new Reading<>(handler, List.copyOf(all), businessKey);
        }
    }

    private record Source<T>(String type, int schemaVersion, Reader<? extends T> reader) {
        Route<T> to(Work<T> work, @Nullable Function<Event<T>, String> businessKey) {
            return new Route<>(type, schemaVersion, reader, work, businessKey);
        }
    }
}

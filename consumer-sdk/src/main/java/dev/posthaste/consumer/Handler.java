package dev.posthaste.consumer;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

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
     * or one of its causes, is of such a class.
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
     * Reads one version of a type as JSON.
     *
     * @param payload what Jackson reads it into; properties it does not know are left out
     */
    public <T> Reading<T> on(String type, int schemaVersion, Class<T> payload) {
        return new Reading<T>(this, List.of()).on(type, schemaVersion, payload);
    }

    /** Reads one version of a type with a reader of your own. */
    public <T> Reading<T> on(String type, int schemaVersion, PayloadReader<? extends T> reader) {
        return new Reading<T>(this, List.of()).on(type, schemaVersion, reader);
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

        private Reading(Handler handler, List<Source<T>> sources) {
            this.handler = handler;
            this.sources = sources;
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

        private Handler work(Work<T> work) {
            List<Route<?>> further = new ArrayList<>();
            sources.forEach(source -> further.add(source.to(work)));
            return handler.with(further);
        }

        private Reading<T> with(Source<T> further) {
            List<Source<T>> all = new ArrayList<>(sources);
            all.add(further);
            return new Reading<>(handler, List.copyOf(all));
        }
    }

    private record Source<T>(String type, int schemaVersion, Reader<? extends T> reader) {
        Route<T> to(Work<T> work) {
            return new Route<>(type, schemaVersion, reader, work);
        }
    }
}

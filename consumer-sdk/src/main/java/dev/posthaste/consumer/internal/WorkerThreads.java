package dev.posthaste.consumer.internal;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes the threads on which handlers run, named {@code posthaste-<handler>-<n>}: virtual ones where the JVM has them
 * and blocking in them never holds up others, else platform threads.
 */
final class WorkerThreads {

    /**
     * From this version on a virtual thread that blocks inside {@code synchronized} lets its carrier go (JEP 491).
     * Before, a few handlers that do so could stop all others, and their connection pool with them.
     */
    private static final int VIRTUAL_SINCE = 24;

    private static final long IDLE_THREAD_SECONDS = 30;

    private WorkerThreads() {}

    /**
     * A pool of so many; each is a connection as well. The pool is what bounds them, whatever they are made of.
     *
     * @param max most at a time
     */
    static ExecutorService pool(String handler, int max) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                max,
                max,
                IDLE_THREAD_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), // a strand waits here once at most
                factory("posthaste-" + handler + "-"));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    static boolean areVirtual() {
        return Runtime.version().feature() >= VIRTUAL_SINCE;
    }

    private static ThreadFactory factory(String prefix) {
        return areVirtual() ? virtual(prefix) : platform(prefix);
    }

    private static ThreadFactory platform(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> new Thread(task, prefix + number.incrementAndGet());
    }

    /** {@code Thread.ofVirtual().name(prefix, 1).factory()}, which Java 17 does not compile. */
    private static ThreadFactory virtual(String prefix) {
        try {
            Class<?> builderType = Class.forName("java.lang.Thread$Builder");
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Object named =
                    builderType.getMethod("name", String.class, long.class).invoke(builder, prefix, 1L);
            return (ThreadFactory) builderType.getMethod("factory").invoke(named);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Java " + Runtime.version().feature() + " has virtual threads", e);
        }
    }
}

package dev.posthaste.consumer;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

/**
 * A moment in the life of a delivery at which a process can be made to end: seen from what it does with its connection.
 */
enum KillPoint {
    BEFORE_CLAIM(Moment.PREPARING, KillPoint::claims, false),
    BETWEEN_BEGIN_AND_CLAIM(Moment.COMMITTED, sql -> claims(sql) && !hasEffect(sql) && !keeps(sql), false),
    BETWEEN_EFFECT_AND_COMMIT(Moment.COMMITTING, KillPoint::hasEffect, false),
    BETWEEN_COMMIT_AND_OFFSET(Moment.COMMITTED, KillPoint::hasEffect, false),
    BETWEEN_ROLLBACK_AND_RECORD(Moment.ROLLED_BACK, KillPoint::hasEffect, true),
    BETWEEN_RECORD_AND_EMISSION(Moment.COMMITTED, KillPoint::keeps, true),
    BETWEEN_EMISSION_AND_ITS_MARK(Moment.PREPARING, sql -> contains(sql, "SET emitted_at"), true);

    static final int EXIT_CODE = 86;

    private final Moment moment;
    private final Predicate<List<String>> transaction;
    private final boolean needsFailure;

    KillPoint(Moment moment, Predicate<List<String>> transaction, boolean needsFailure) {
        this.moment = moment;
        this.transaction = transaction;
        this.needsFailure = needsFailure;
    }

    private enum Moment {
        PREPARING,
        COMMITTING,
        COMMITTED,
        ROLLED_BACK
    }

    /** The handler that this is about. */
    String handler() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether it is only reached by an attempt that fails. */
    boolean needsFailure() {
        return needsFailure;
    }

    private static boolean claims(List<String> sql) {
        return contains(sql, "INSERT INTO inbox.delivery (");
    }

    private static boolean hasEffect(List<String> sql) {
        return contains(sql, "INSERT INTO effect");
    }

    private static boolean keeps(List<String> sql) {
        return contains(sql, "INSERT INTO inbox.outgoing");
    }

    private static boolean contains(List<String> sql, String part) {
        return sql.stream().anyMatch(statement -> statement.contains(part));
    }

    /** A data source whose user does not survive this point. */
    DataSource in(DataSource source) {
        return proxy(DataSource.class, (unused, method, arguments) -> {
            Object result = invoke(source, method, arguments);
            return result instanceof Connection connection ? proxy(Connection.class, new Watched(connection)) : result;
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? new SQLException(e) : e.getCause();
        }
    }

    /** Remembers the statements of the transaction under way. */
    private final class Watched implements InvocationHandler {

        private final Connection connection;
        private final List<String> statements = new ArrayList<>();

        Watched(Connection connection) {
            this.connection = connection;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            String name = method.getName();
            if (name.equals("prepareStatement") && arguments != null) {
                statements.add((String) arguments[0]);
                endAt(Moment.PREPARING);
            }
            if (name.equals("commit")) {
                endAt(Moment.COMMITTING);
            }
            Object result = KillPoint.invoke(connection, method, arguments);
            if (name.equals("commit") || name.equals("rollback")) {
                endAt(name.equals("commit") ? Moment.COMMITTED : Moment.ROLLED_BACK);
                statements.clear();
            }
            return result;
        }

        private void endAt(Moment now) {
            if (now == moment && transaction.test(statements)) {
                Runtime.getRuntime().halt(EXIT_CODE);
            }
        }
    }
}

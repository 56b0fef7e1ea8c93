package dev.posthaste.consumer.internal;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A connection that leaves the transaction to the SDK. It guards against mistakes, not against malice: what gets past
 * it is noticed after the handler, before the commit and before a failure is written down.
 */
final class GuardedConnection implements InvocationHandler {

    private static final String WHY =
            " is refused inside a handler: the SDK ends the transaction, so that the effect is there if and only if the"
                    + " message is completed. Throw an exception to roll back.";

    private static final Set<String> REFUSED = Set.of("commit", "setAutoCommit", "close", "abort");

    /** Other methods take names: a savepoint may well be called "end". */
    private static final Pattern TAKES_SQL = Pattern.compile("prepare.*|execute.*|addBatch|nativeSQL");

    private final Connection connection;
    private final Connection guarded;
    private volatile boolean over;

    GuardedConnection(Connection connection) {
        this.connection = connection;
        this.guarded = proxy(Connection.class, this);
    }

    Connection connection() {
        return guarded;
    }

    /** From now on it refuses everything: a handler may have kept it. */
    void end() {
        over = true;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (isOfObject(method)) {
            return ofObject(proxy, method, arguments);
        }
        if (over) {
            throw new SQLException("The connection of a handler's transaction was used after the handler had returned"
                    + " (Connection." + method.getName() + "). Use it inside the handler and on its thread only.");
        }
        if (REFUSED.contains(method.getName()) || isWholeRollback(method, arguments)) {
            throw new SQLException("Connection." + method.getName() + WHY);
        }
        if (method.getName().equals("unwrap") && arguments != null && ((Class<?>) arguments[0]).isInstance(guarded)) {
            return guarded;
        }
        refuseEnd(method, arguments);
        Object result = call(connection, method, arguments);
        return result instanceof Statement statement ? guard(statement, method.getReturnType()) : result;
    }

    private Object guard(Statement statement, Class<?> type) {
        return proxy(type, (proxy, method, arguments) -> {
            if (isOfObject(method)) {
                return ofObject(proxy, method, arguments);
            }
            if (method.getName().equals("getConnection")) {
                return guarded;
            }
            refuseEnd(method, arguments);
            return call(statement, method, arguments);
        });
    }

    private static boolean isWholeRollback(Method method, Object @Nullable [] arguments) {
        return method.getName().equals("rollback") && arguments == null;
    }

    private static void refuseEnd(Method method, Object @Nullable [] arguments) throws SQLException {
        if (arguments != null
                && arguments.length > 0
                && arguments[0] instanceof String sql
                && TAKES_SQL.matcher(method.getName()).matches()
                && TransactionControl.endsTransaction(sql)) {
            throw new SQLException("A statement that ends the transaction" + WHY);
        }
    }

    private static boolean isOfObject(Method method) {
        return method.getDeclaringClass() == Object.class;
    }

    private static Object ofObject(Object proxy, Method method, Object @Nullable [] arguments) {
        return switch (method.getName()) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default ->
                "posthaste's guard of a " + proxy.getClass().getInterfaces()[0].getSimpleName();
        };
    }

    private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(GuardedConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}

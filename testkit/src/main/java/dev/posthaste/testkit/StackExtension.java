package dev.posthaste.testkit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * What {@link PosthasteStack} brings: starts the shared stack on first use and hands it to parameters.
 *
 * <p>The stack stands in JUnit's root store, which closes it after the last test class.
 */
public final class StackExtension implements ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(StackExtension.class);

    /** For JUnit. */
    public StackExtension() {}

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Stack.class || type == PostgresServer.class || type == KafkaBroker.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Stack stack = context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(SharedStack.class, key -> new SharedStack(), SharedStack.class)
                .stack;
        Class<?> type = parameter.getParameter().getType();
        return type == Stack.class ? stack : type == PostgresServer.class ? stack.postgres() : stack.kafka();
    }

    /** An AutoCloseable of our own, so that it is closed whatever {@link Stack} becomes. */
    private static final class SharedStack implements AutoCloseable {
        private final Stack stack = Stack.start();

        @Override
        public void close() {
            stack.close();
        }
    }
}

package dev.posthaste.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a JUnit 5 test class a real PostgreSQL and a real Kafka broker.
 *
 * <p>Test methods, lifecycle methods and constructors may take a {@link Stack}, a {@link PostgresServer} or a
 * {@link KafkaBroker}. All test classes of a JVM share one stack, so a test keeps to a database of its own
 * ({@link PostgresServer#createDatabase}) and to topics and groups of its own.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(StackExtension.class)
public @interface PosthasteStack {}

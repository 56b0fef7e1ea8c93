package dev.posthaste.producer;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Provision S1 13: nothing to dispatch with. The build refuses such a dependency as well (enforcer, in the pom). */
@PosthasteStack
class DependenciesTest {

    @Test
    void theCodeKnowsTheSchemasAndNothingElseOfOurs() {
        JavaClasses code = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.posthaste.producer");
        assertThat(code).hasSizeGreaterThan(10);

        classes()
                .that()
                .resideInAPackage("dev.posthaste.producer..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "org.jspecify..",
                        "com.fasterxml.jackson..",
                        "io.opentelemetry..",
                        "dev.posthaste.schemas..",
                        "dev.posthaste.producer..")
                .check(code);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "org.apache.kafka.clients.producer.KafkaProducer",
                "io.debezium.engine.DebeziumEngine",
                "com.networknt.schema.Schema",
                "org.slf4j.Logger"
            })
    void theRuntimeClassPathDoesNotHave(String className) throws Exception {
        try (URLClassLoader runtime = runtimeClassPath(entry -> true)) {
            assertThat(runtime.loadClass(Outbox.class.getName())).isNotNull();
            assertThatThrownBy(() -> runtime.loadClass(className)).isInstanceOf(ClassNotFoundException.class);
        }
    }

    @Test
    void itStagesWithoutOpenTelemetryToo(PostgresServer server) throws Exception {
        OutboxDatabase database = OutboxDatabase.create(server);
        try (URLClassLoader runtime = runtimeClassPath(entry -> !entry.contains("opentelemetry"));
                Connection connection = database.begin()) {
            assertThatThrownBy(() -> runtime.loadClass("io.opentelemetry.api.trace.Span"))
                    .isInstanceOf(ClassNotFoundException.class);
            Class<?> message = runtime.loadClass("dev.posthaste.schemas.OutboxMessage");
            Object builder = message.getMethod("event", String.class, int.class).invoke(null, "t", 1);
            Object one = builder.getClass().getMethod("json", String.class).invoke(builder, "{}");
            Class<?> outbox = runtime.loadClass(Outbox.class.getName());
            outbox.getMethod("stage", Connection.class, message)
                    .invoke(outbox.getMethod("create").invoke(null), connection, one);
            connection.commit();
        }
        assertThat(database.query("SELECT headers ->> 'traceparent' FROM outbox.message"))
                .singleElement()
                .asString()
                .startsWith("00-");
    }

    /** What a service gets with this module, and nothing of the tests'; written by the build. */
    private static URLClassLoader runtimeClassPath(Predicate<String> entries) throws Exception {
        String classPath =
                Files.readString(Path.of("target", "runtime-class-path.txt")).strip();
        List<URL> urls = Stream.concat(
                        Stream.of(Path.of("target", "classes").toString()),
                        Stream.of(classPath.split(File.pathSeparator)))
                .filter(entries)
                .map(DependenciesTest::url)
                .toList();
        assertThat(urls).hasSizeGreaterThan(2);
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static URL url(String path) {
        try {
            return Path.of(path).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(path, e);
        }
    }
}

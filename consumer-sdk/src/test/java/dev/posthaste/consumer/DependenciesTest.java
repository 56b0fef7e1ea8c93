package dev.posthaste.consumer;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

class DependenciesTest {

    private static JavaClasses code;

    @BeforeAll
    static void readCode() {
        code = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.posthaste.consumer");
        assertThat(code).hasSizeGreaterThan(30);
    }

    @Test
    void theCodeKnowsTheSchemasAndNothingElseOfOursAndNoDebezium() {
        classes()
                .that()
                .resideInAPackage("dev.posthaste.consumer..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "javax.sql..",
                        "org.jspecify..",
                        "org.slf4j..",
                        "io.micrometer..",
                        "io.opentelemetry..",
                        "com.fasterxml.jackson..",
                        "org.apache.kafka.clients.admin..",
                        "org.apache.kafka.clients.consumer..",
                        "org.apache.kafka.clients.producer..",
                        "org.apache.kafka.common..",
                        "dev.posthaste.schemas..",
                        "dev.posthaste.consumer..")
                .check(code);
    }

    @Test
    void whatUsersTypeKnowsNoKafka() {
        noClasses()
                .that()
                .resideInAPackage("dev.posthaste.consumer")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.kafka..")
                .check(code);
    }
}

package dev.posthaste.relay;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/** The walls between the packages: the pipeline can be read off the tree, and each library stays where it belongs. */
@AnalyzeClasses(packages = "dev.posthaste.relay", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String ROOT = "dev.posthaste.relay";

    @ArchTest
    static final ArchRule debeziumAndConnectStayInTheSource = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".source..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.debezium..", "org.apache.kafka.connect..");

    @ArchTest
    static final ArchRule producersStayInPublishing = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".publishing..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.kafka.clients.producer..");

    @ArchTest
    static final ArchRule packagesDependAlongThePipelineOnly = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage(ROOT + "..")
            .layer("source")
            .definedBy(ROOT + ".source..")
            .layer("routing")
            .definedBy(ROOT + ".routing..")
            .layer("publishing")
            .definedBy(ROOT + ".publishing..")
            .layer("lease")
            .definedBy(ROOT + ".lease..")
            .layer("evidence")
            .definedBy(ROOT + ".evidence..")
            .layer("quarantine")
            .definedBy(ROOT + ".quarantine..")
            .layer("doctor")
            .definedBy(ROOT + ".doctor..")
            .layer("status")
            .definedBy(ROOT + ".status..")
            .layer("health")
            .definedBy(ROOT + ".health..")
            .layer("relay")
            .definedBy(ROOT)
            .layer("setup")
            .definedBy(ROOT + ".setup..")
            .optionalLayer("cli")
            .definedBy(ROOT + ".cli..")
            .whereLayer("source")
            .mayNotAccessAnyLayer()
            .whereLayer("lease")
            .mayNotAccessAnyLayer()
            .whereLayer("routing")
            .mayOnlyAccessLayers("source")
            .whereLayer("publishing")
            .mayOnlyAccessLayers("source", "routing", "lease")
            .whereLayer("evidence")
            .mayOnlyAccessLayers("source", "lease")
            .whereLayer("quarantine")
            .mayOnlyAccessLayers("source", "routing", "publishing", "lease")
            .whereLayer("health")
            .mayOnlyAccessLayers("routing")
            .whereLayer("relay")
            .mayOnlyAccessLayers("source", "routing", "publishing", "lease", "evidence", "quarantine", "health")
            .whereLayer("setup")
            .mayOnlyAccessLayers("source", "publishing", "lease", "relay")
            .whereLayer("doctor")
            .mayOnlyAccessLayers("source", "publishing", "relay")
            .whereLayer("status")
            .mayOnlyAccessLayers("source", "publishing", "relay")
            .whereLayer("cli")
            .mayNotBeAccessedByAnyLayer();

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching(ROOT + ".(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule onlyTheCommandLineEndsTheProcess = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".cli..")
            .should()
            .callMethod(System.class, "exit", int.class)
            .orShould()
            .callMethod(Runtime.class, "exit", int.class)
            .orShould()
            .callMethod(Runtime.class, "halt", int.class);

    @ArchTest
    static final ArchRule onlyTheCommandLineWritesToTheConsole = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".cli..")
            .should()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err");
}

package dev.posthaste.testkit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class StackKindTest {

    @Test
    void namesAreReadInAnyCase() {
        assertThat(StackKind.parse("auto")).isEqualTo(StackKind.AUTO);
        assertThat(StackKind.parse("Embedded")).isEqualTo(StackKind.EMBEDDED);
        assertThat(StackKind.parse("CONTAINERS")).isEqualTo(StackKind.CONTAINERS);
    }

    @Test
    void anUnknownNameIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> StackKind.parse("docker"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'docker'")
                .hasMessageContaining("auto, embedded or containers");
    }

    @Test
    void aPortOutOfRangeIsRefused() {
        assertThatThrownBy(() -> ServerSettings.defaults().withPort(70_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("70000");
    }

    @Test
    void everyPlatformHasItsArchiveOrAnErrorThatSaysWhatElse() {
        assertThat(PostgresBinaries.archiveName("Linux", "amd64")).isEqualTo("postgres-linux-x86_64.txz");
        assertThat(PostgresBinaries.archiveName("Mac OS X", "aarch64")).isEqualTo("postgres-darwin-arm_64.txz");
        assertThatThrownBy(() -> PostgresBinaries.archiveName("Windows 11", "amd64"))
                .isInstanceOf(TestkitException.class)
                .hasMessageContaining("-Dposthaste.testkit=containers");
    }

    @Test
    void brokerOptionsBecomeTheImagesVariables() {
        assertThat(ContainerKafka.environmentName("log.retention.ms")).isEqualTo("KAFKA_LOG_RETENTION_MS");
    }
}

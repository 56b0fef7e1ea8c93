package dev.posthaste.examples.process;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.relay.cli.ExitCode;
import dev.posthaste.relay.cli.Posthaste;

import static org.assertj.core.api.Assertions.assertThat;

/** The commands that the example adds. */
class CommandLineTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo",
                "example",
                "example lending",
                "example due-notice",
                "example statistics",
                "example sql",
                "example topic",
                "inbox",
                "inbox counts",
                "inbox list",
                "inbox show",
                "inbox requeue",
                "inbox discard"
            })
    void everyCommandHelps(String command) {
        assertThat(Posthaste.execute((command + " --help").split(" "))).isEqualTo(ExitCode.OK);
        assertThat(Posthaste.execute((command + " --version").split(" "))).isEqualTo(ExitCode.OK);
        assertThat(Posthaste.execute((command + " --no-such-option").split(" ")))
                .isEqualTo(ExitCode.USAGE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo --messages 0",
                "demo --messages many",
                "demo --rate 0",
                "demo --kill-relay -1",
                "demo --postgres-port 70000",
                "demo --kafka-port -1",
                "demo --catalog /nowhere",
                "example",
                "example lending",
                "example lending --database jdbc:postgresql://127.0.0.1:1/x --catalog catalog --rate 0",
                "example sql --database nonsense SELECT",
                "example topic library.due-notice --last 0",
                "inbox",
                "inbox list --database jdbc:postgresql://127.0.0.1:1/x --handler h --limit 0",
                "inbox requeue --database jdbc:postgresql://127.0.0.1:1/x --handler h --all --actor ada",
                "inbox requeue --database jdbc:postgresql://127.0.0.1:1/x --handler h --actor ada --reason why",
                "inbox discard --database jdbc:postgresql://127.0.0.1:1/x --handler h --actor ada --reason why",
            })
    void badOptionsExitWithTwo(String command) {
        assertThat(Posthaste.execute(command.split(" "))).isEqualTo(ExitCode.USAGE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example sql --database postgresql://a:b@127.0.0.1:1/x SELECT",
                "example topic --kafka 127.0.0.1:1 library.due-notice",
                "example lending --database jdbc:postgresql://127.0.0.1:1/x?user=a --catalog catalog",
                "inbox counts --database jdbc:postgresql://127.0.0.1:1/x?user=a --handler h",
            })
    void anUnreachableStoreExitsWithThree(String command) {
        assertThat(Posthaste.execute(command.split(" "))).isEqualTo(ExitCode.STORE_AWAY);
    }
}

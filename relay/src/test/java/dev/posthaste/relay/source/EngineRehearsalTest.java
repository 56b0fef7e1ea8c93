package dev.posthaste.relay.source;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.Outbox;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;

/** A rehearsal that did not come to the place where it must end fails by itself. */
@PosthasteStack
class EngineRehearsalTest {

    private static final String PUBLICATIONS = "SELECT pubname FROM pg_publication";
    private static final String SLOTS = "SELECT slot_name || ' ' || confirmed_flush_lsn || ' ' || restart_lsn || ' ' "
            + "|| active FROM pg_replication_slots WHERE database = current_database()";

    @Test
    void itTakesNoSlotAndMovesNone(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        outbox.insert(10, "copy-1");
        var slots = outbox.column(SLOTS);
        assertThat(slots).hasSize(1);

        EngineRehearsal.run(outbox.settings().source());

        assertThat(outbox.column(SLOTS)).isEqualTo(slots);
        assertThat(outbox.column(PUBLICATIONS)).containsExactly("posthaste");
    }

    @Test
    void itMakesNoSlotWhereThereIsNone(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        outbox.sql("SELECT pg_drop_replication_slot('" + outbox.settings().slot() + "')");

        EngineRehearsal.run(outbox.settings().source());

        assertThat(outbox.column(SLOTS)).isEmpty();
    }
}

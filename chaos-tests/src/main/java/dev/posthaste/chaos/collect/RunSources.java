package dev.posthaste.chaos.collect;

import java.util.List;
import javax.sql.DataSource;

import dev.posthaste.schemas.Namespace;

/**
 * Where the traces of a run are. Immutable.
 *
 * @param outbox the database with the outbox; for somebody who may read all of it
 * @param inbox the database with the inbox and the effects
 * @param handlers by name; the first one's topic stands for all in a sample
 */
public record RunSources(
        DataSource outbox, DataSource inbox, String bootstrapServers, Namespace namespace, List<String> handlers) {

    /** Copies the handlers. */
    public RunSources {
        handlers = List.copyOf(handlers);
    }
}

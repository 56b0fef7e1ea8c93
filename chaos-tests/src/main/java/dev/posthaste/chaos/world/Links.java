package dev.posthaste.chaos.world;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import dev.posthaste.testkit.faults.StoreLink;

/** The ways of each process to each store, made when they are first asked for. Used by one thread. */
final class Links implements AutoCloseable {

    static final String OUTBOX = "outbox";
    static final String INBOX = "inbox";
    static final String KAFKA = "kafka";

    private final Servers servers;
    private final Map<String, StoreLink> links = new HashMap<>();

    /** The supervisor's own way to the outbox; no script breaks it. */
    private final StoreLink own;

    Links(Servers servers) {
        this.servers = servers;
        this.own =
                StoreLink.toPostgres(servers.outbox().host(), servers.outbox().port());
    }

    StoreLink own() {
        return own;
    }

    StoreLink of(String process, String store) {
        return links.computeIfAbsent(name(process, store), name -> switch (store) {
            case OUTBOX ->
                StoreLink.toPostgres(servers.outbox().host(), servers.outbox().port());
            case INBOX ->
                StoreLink.toPostgres(servers.inbox().host(), servers.inbox().port());
            case KAFKA -> StoreLink.toKafka(servers.broker().bootstrapServers());
            default -> throw new IllegalArgumentException("no store is called " + store);
        });
    }

    /** One that nobody uses would be broken in name only. */
    StoreLink existing(String process, String store) {
        StoreLink link = links.get(name(process, store));
        if (link == null) {
            throw new IllegalArgumentException(
                    process + " has no way to " + store + "; ways there are: " + new TreeSet<>(links.keySet()));
        }
        return link;
    }

    private static String name(String process, String store) {
        return process + " to " + store;
    }

    /** All but the supervisor's own. */
    List<StoreLink> all() {
        return List.copyOf(links.values());
    }

    /** They now lead to the server that has the outbox by now. */
    void followTheOutbox() {
        own.redirect(servers.outbox().port());
        links.forEach((name, link) -> {
            if (name.endsWith(name("", OUTBOX))) {
                link.redirect(servers.outbox().port());
            }
        });
    }

    @Override
    public void close() {
        links.values().forEach(StoreLink::close);
        own.close();
    }
}

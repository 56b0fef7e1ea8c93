package dev.posthaste.chaos.load;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

import dev.posthaste.chaos.history.Entry.HandlerKind;

/** The catalog of the chaos tests: one event and three handlers of it. */
public final class ChaosCatalog {

    /** The type of every message that has handlers. */
    public static final String TYPE = "chaos.moved";

    /** A type that no catalog knows: its messages are set aside. */
    public static final String UNKNOWN_TYPE = "chaos.unknown";

    /** Transactional, in order per key. */
    public static final String LEDGER = "ledger";

    /** Transactional, in no order. */
    public static final String STATISTICS = "statistics";

    /** Leased, in no order. */
    public static final String CHARGE = "charge";

    /** Every handler's name. */
    public static final List<String> HANDLERS = List.of(LEDGER, STATISTICS, CHARGE);

    /** Every handler as a history names it. */
    public static final List<HandlerKind> HANDLER_KINDS = List.of(
            new HandlerKind(LEDGER, true, true),
            new HandlerKind(STATISTICS, true, false),
            new HandlerKind(CHARGE, false, false));

    private ChaosCatalog() {}

    /** Those handlers as a history names them. */
    public static List<HandlerKind> kinds(List<String> handlers) {
        return HANDLER_KINDS.stream()
                .filter(kind -> handlers.contains(kind.name()))
                .toList();
    }

    /**
     * Writes it, with those handlers, to a directory, which is made where it is missing.
     *
     * @throws IOException when it cannot be written
     */
    public static void writeTo(Path directory, List<String> handlers) throws IOException {
        write(directory, "events/chaos.moved.yaml");
        for (String handler : handlers) {
            write(directory, "handlers/" + handler + ".yaml");
        }
    }

    private static void write(Path directory, String file) throws IOException {
        Path target = directory.resolve(file);
        Files.createDirectories(Objects.requireNonNull(target.getParent()));
        try (InputStream in = ChaosCatalog.class.getResourceAsStream("catalog/" + file)) {
            Files.write(target, Objects.requireNonNull(in, file).readAllBytes());
        }
    }
}

package dev.posthaste.chaos.load;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.chaos.history.Entry.HandlerKind;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.CatalogReader;
import dev.posthaste.schemas.catalog.DeliveryMode;
import dev.posthaste.schemas.catalog.DeliveryOrder;
import dev.posthaste.schemas.catalog.HandlerRecord;

import static org.assertj.core.api.Assertions.assertThat;

class ChaosCatalogTest {

    @Test
    void isACatalogWithTheHandlersItNames(@TempDir Path directory) throws Exception {
        ChaosCatalog.writeTo(directory.resolve("catalog"), ChaosCatalog.HANDLERS);

        Catalog catalog = CatalogReader.read(directory.resolve("catalog"));

        assertThat(catalog.handlers())
                .extracting(ChaosCatalogTest::kind)
                .containsExactlyInAnyOrderElementsOf(ChaosCatalog.HANDLER_KINDS);
    }

    private static HandlerKind kind(HandlerRecord handler) {
        return new HandlerKind(
                handler.handler(),
                handler.mode() == DeliveryMode.TRANSACTIONAL,
                handler.order() == DeliveryOrder.PER_KEY);
    }
}

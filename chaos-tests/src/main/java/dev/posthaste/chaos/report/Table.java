package dev.posthaste.chaos.report;

import java.util.ArrayList;
import java.util.List;

/** A table, not yet in a format. Filled by one thread. */
final class Table {

    /**
     * A column.
     *
     * @param figures whether it holds figures, which stand at the right
     */
    record Column(String title, boolean figures) {}

    private final List<Column> columns = new ArrayList<>();
    private final List<List<Text>> rows = new ArrayList<>();

    Table words(String... titles) {
        for (String title : titles) {
            columns.add(new Column(title, false));
        }
        return this;
    }

    Table figures(String... titles) {
        for (String title : titles) {
            columns.add(new Column(title, true));
        }
        return this;
    }

    void row(Text... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException(cells.length + " cells for " + columns.size() + " columns");
        }
        rows.add(List.of(cells));
    }

    List<Column> columns() {
        return columns;
    }

    List<List<Text>> rows() {
        return rows;
    }
}

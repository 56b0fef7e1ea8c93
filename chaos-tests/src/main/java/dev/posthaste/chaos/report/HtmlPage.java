package dev.posthaste.chaos.report;

import java.util.Iterator;
import java.util.List;

/**
 * HTML that is well-formed XML too. Its policy keeps a browser from loading or running anything. Used by one thread.
 */
final class HtmlPage implements Page {

    private static final String NOTHING_BUT_STYLE = "default-src 'none'; style-src 'unsafe-inline'";

    private final Xml body = new Xml();
    private String title = "";

    /** Where a scenario's part is, the how-manieth from 1. */
    static String anchor(int number) {
        return "scenario-" + number;
    }

    @Override
    public void title(String text) {
        title = text;
        body.element("h1", text);
    }

    @Override
    public void heading(String text) {
        body.element("h2", text);
    }

    @Override
    public void scenario(int number, ScenarioReport report) {
        body.open("h2", "id", anchor(number)).text(report.scenario() + ": ");
        inline(Text.of(report.outcome().words(), report.outcome().tone()));
        body.close("h2");
    }

    @Override
    public void subheading(String text) {
        body.element("h3", text);
    }

    @Override
    public void paragraph(Text... pieces) {
        body.open("p");
        for (Text piece : pieces) {
            inline(piece);
        }
        body.close("p");
    }

    @Override
    public void table(Table table) {
        body.open("table").open("thead").open("tr");
        for (Table.Column column : table.columns()) {
            body.open("th", "scope", "col", "class", cssClass(column))
                    .text(column.title())
                    .close("th");
        }
        body.close("tr").close("thead").open("tbody");
        for (List<Text> row : table.rows()) {
            body.open("tr");
            Iterator<Table.Column> columns = table.columns().iterator();
            for (Text cell : row) {
                body.open("td", "class", cssClass(columns.next()));
                inline(cell);
                body.close("td");
            }
            body.close("tr");
        }
        body.close("tbody").close("table");
    }

    private static String cssClass(Table.Column column) {
        return column.figures() ? "figures" : "words";
    }

    @Override
    public void lines(List<String> lines) {
        body.element("pre", String.join("\n", lines));
    }

    @Override
    public void timeline(int number, ScenarioReport report) {
        body.raw(Picture.draw(number, report));
    }

    private void inline(Text text) {
        body.open("span", "class", text.tone().cssClass());
        if (text.anchor() != null) {
            body.open("a", "href", "#" + text.anchor());
        }
        Iterator<String> lines = Clean.text(text.text()).lines().iterator();
        while (lines.hasNext()) {
            body.text(lines.next());
            if (lines.hasNext()) {
                body.empty("br");
            }
        }
        if (text.anchor() != null) {
            body.raw("</a>");
        }
        body.raw("</span>");
    }

    @Override
    public String text() {
        return new Xml()
                .raw("<!DOCTYPE html>\n")
                .open("html", "lang", "en")
                .open("head")
                .empty("meta", "charset", "utf-8")
                .empty("meta", "http-equiv", "Content-Security-Policy", "content", NOTHING_BUT_STYLE)
                .empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
                .element("title", title)
                .open("style")
                .raw(Style.CSS)
                .close("style")
                .close("head")
                .open("body")
                .raw(body.toString())
                .close("body")
                .close("html")
                .toString();
    }
}

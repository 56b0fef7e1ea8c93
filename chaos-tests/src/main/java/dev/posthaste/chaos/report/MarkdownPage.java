package dev.posthaste.chaos.report;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Markdown with tables, as most hosts show it. Used by one thread. */
final class MarkdownPage implements Page {

    private static final Pattern SPECIAL = Pattern.compile("[\\\\`*_\\[\\]|~#$]");
    private static final Pattern LIST_AT_START = Pattern.compile("^\\s*([-+]|\\d+[.)])(?=\\s)");
    private static final Pattern BACKTICKS = Pattern.compile("`+");
    private static final int FENCE_MIN = 3;

    private final StringBuilder out = new StringBuilder();

    @Override
    public void title(String text) {
        block("# " + inline(text));
    }

    @Override
    public void heading(String text) {
        block("## " + inline(text));
    }

    @Override
    public void scenario(int number, ScenarioReport report) {
        heading(report.scenario() + ": " + report.outcome().words());
    }

    @Override
    public void subheading(String text) {
        block("### " + inline(text));
    }

    @Override
    public void paragraph(Text... pieces) {
        StringBuilder text = new StringBuilder();
        for (Text piece : pieces) {
            text.append(toned(piece));
        }
        // A list's sign at the start would make it one.
        Matcher list = LIST_AT_START.matcher(text);
        block(list.find() ? text.insert(list.end() - 1, '\\').toString() : text.toString());
    }

    @Override
    public void table(Table table) {
        String titles = row(
                table.columns().stream().map(column -> inline(column.title())).toList());
        String rule = row(table.columns().stream()
                .map(column -> column.figures() ? "---:" : "---")
                .toList());
        String rows = table.rows().stream()
                .map(cells -> row(cells.stream().map(MarkdownPage::toned).toList()))
                .collect(Collectors.joining());
        block(titles + rule + rows.stripTrailing());
    }

    private static String row(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }

    /** A fence longer than any in the lines holds them whatever they are. */
    @Override
    public void lines(List<String> lines) {
        String text = Clean.text(String.join("\n", lines));
        int longest = BACKTICKS
                .matcher(text)
                .results()
                .mapToInt(run -> run.end() - run.start())
                .max()
                .orElse(0);
        String fence = "`".repeat(Math.max(FENCE_MIN, longest + 1));
        block(fence + "text\n" + text + "\n" + fence);
    }

    @Override
    public void timeline(int number, ScenarioReport report) {
        paragraph(Text.of(Words.timeline(report)));
    }

    @Override
    public String text() {
        return out.toString().stripTrailing() + "\n";
    }

    private void block(String text) {
        out.append(text).append("\n\n");
    }

    private static String toned(Text text) {
        String inline = inline(text.text());
        return text.tone() == Tone.BAD ? "**" + inline + "**" : inline;
    }

    private static String inline(String text) {
        String html =
                Clean.text(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        return SPECIAL.matcher(html).replaceAll("\\\\$0").replace("\n", "<br>");
    }
}

package dev.posthaste.chaos.report;

import java.util.List;

/**
 * A timeline as SVG. From the top: the key, the faults' numbers, the phases, the curves, the time, the recovery. Its
 * colours are those of {@link Style}. Used by one thread, once.
 */
final class Picture {

    static final double WIDTH = 960;
    static final double LEFT = 64;
    static final double RIGHT = WIDTH - 64;

    private static final double KEY_HEIGHT = 24;
    private static final double ROW_HEIGHT = 18;
    private static final double PHASES_HEIGHT = 16;
    private static final double CURVES_HEIGHT = 200;
    private static final double TIME_HEIGHT = 22;
    private static final double RECOVERY_HEIGHT = 34;
    private static final double LETTER_WIDTH = 6.4;

    private final int number;
    private final ScenarioReport report;
    private final Timeline timeline;
    private final List<FaultMark> marks;
    private final double phasesTop;
    private final double top;
    private final double bottom;
    private final double height;
    private final Xml xml = new Xml();

    private Picture(int number, ScenarioReport report) {
        this.number = number;
        this.report = report;
        this.timeline = report.timeline();
        this.marks = FaultMark.place(timeline.faults(), this::x);
        int rows = marks.stream()
                .map(FaultMark::row)
                .filter(row -> row != null)
                .mapToInt(row -> row + 1)
                .max()
                .orElse(0);
        this.phasesTop = KEY_HEIGHT + rows * ROW_HEIGHT;
        this.top = phasesTop + PHASES_HEIGHT;
        this.bottom = top + CURVES_HEIGHT;
        this.height = bottom + TIME_HEIGHT + RECOVERY_HEIGHT;
    }

    /** Draws a scenario's; the number tells its ids from those of other pictures of the page. */
    static String draw(int number, ScenarioReport report) {
        Picture picture = new Picture(number, report);
        picture.draw();
        return picture.xml.toString();
    }

    private void draw() {
        String title = "title-" + number;
        String description = "description-" + number;
        double shown = timeline.isEmpty() ? KEY_HEIGHT * 2 : height;
        xml.open(
                "svg",
                "viewBox",
                "0 0 " + Xml.number(WIDTH) + " " + Xml.number(shown),
                "role",
                "img",
                "aria-labelledby",
                title + " " + description);
        xml.element("title", "Timeline of " + report.scenario(), "id", title);
        xml.element("desc", Words.timeline(report), "id", description);
        if (timeline.isEmpty()) {
            label(WIDTH / 2, KEY_HEIGHT + 4, "middle", Words.timeline(report));
        } else {
            drawTimeline();
        }
        xml.close("svg");
    }

    private void drawTimeline() {
        drawPhases();
        List<Double> rates = Ticks.values(ratesMax());
        List<Double> backlogs = Ticks.values((double) timeline.backlogMax());
        drawAxes(rates, backlogs);
        if (timeline.recovery() != null) {
            drawRecovery(timeline.recovery());
        }
        drawCurves(rates.get(rates.size() - 1), backlogs.get(backlogs.size() - 1));
        marks.forEach(this::drawLine);
        marks.forEach(this::drawNumber);
        if (!timeline.hasMessages()) {
            xml.open("g", "class", "note");
            label((LEFT + RIGHT) / 2, (top + bottom) / 2, "middle", "No message was committed or published.");
            xml.close("g");
        }
        drawKey();
    }

    private double ratesMax() {
        double max = 0;
        for (Series series : Series.values()) {
            max = Math.max(max, series.peak(timeline));
        }
        return max;
    }

    private void drawKey() {
        String to = timeline.handler().isEmpty() ? "" : " to " + timeline.handler();
        double x = LEFT;
        x = drawKey(x, "committed", "committed/s");
        x = drawKey(x, "published", "published" + to + "/s");
        x = drawKey(x, "effects", "effects/s");
        drawKey(x, "backlog", "backlog (right)");
    }

    private double drawKey(double x, String curve, String words) {
        xml.empty("line", "class", "curve " + curve, "x1", x, "x2", x + 24, "y1", 10.0, "y2", 10.0);
        label(x + 30, 14, "start", words);
        return x + 30 + words.length() * LETTER_WIDTH + 20;
    }

    private void drawPhases() {
        for (Timeline.Phase phase : timeline.phases()) {
            double from = x(phase.fromMillis());
            double width = x(phase.untilMillis()) - from;
            xml.open("g", "class", "phase " + phaseClass(phase.name()));
            xml.element("title", phase.name() + " from " + Figures.offset(phase.fromMillis()));
            xml.empty("rect", "x", from, "y", phasesTop, "width", width, "height", bottom - phasesTop);
            if (phase.name().length() * LETTER_WIDTH < width) {
                label(from + width / 2, phasesTop + 12, "middle", phase.name());
            }
            xml.close("g");
        }
    }

    /** The names are known, but a stylesheet must not be given any other. */
    private static String phaseClass(String name) {
        return switch (name) {
            case "steady", "fault", "heal", "drain" -> name;
            default -> "other";
        };
    }

    private void drawAxes(List<Double> rates, List<Double> backlogs) {
        for (int i = 0; i < rates.size(); i++) {
            double y = y(rates.get(i), rates.get(rates.size() - 1));
            xml.empty("line", "class", "grid", "x1", LEFT, "x2", RIGHT, "y1", y, "y2", y);
            label(LEFT - 6, y + 4, "end", Figures.brief(rates.get(i)));
            label(RIGHT + 6, y + 4, "start", Figures.brief(backlogs.get(i)));
        }
        for (long at : Ticks.times(timeline.durationMillis())) {
            xml.empty("line", "class", "grid", "x1", x(at), "x2", x(at), "y1", bottom, "y2", bottom + 4);
            label(x(at), bottom + 16, "middle", Figures.plain(at / 1000.0) + " s");
        }
    }

    private void drawCurves(double rateTop, double backlogTop) {
        if (timeline.hasMessages()) {
            String area = Curves.area(timeline, Series.COMMITTED, this::x, rate -> y(rate, rateTop));
            xml.empty("path", "class", "area", "d", area);
            for (Series series : Series.values()) {
                String steps = Curves.steps(timeline, series, this::x, rate -> y(rate, rateTop));
                xml.empty("path", "class", "curve " + series.cssClass(), "d", steps);
            }
        }
        String backlog = Curves.backlog(timeline.backlog(), this::x, pending -> y(pending, backlogTop));
        if (!backlog.isEmpty()) {
            xml.empty("path", "class", "curve backlog", "d", backlog);
        }
    }

    private void drawLine(FaultMark mark) {
        xml.open("g", "class", mark.fault().fired() ? "mark" : "mark unfired");
        xml.element("title", name(mark));
        double from = mark.row() == null ? phasesTop : KEY_HEIGHT + mark.row() * ROW_HEIGHT;
        xml.empty("line", "x1", mark.x(), "x2", mark.x(), "y1", from, "y2", bottom);
        xml.close("g");
    }

    private void drawNumber(FaultMark mark) {
        if (mark.row() == null) {
            return;
        }
        double y = KEY_HEIGHT + mark.row() * ROW_HEIGHT;
        double x = mark.x() - mark.width() / 2;
        xml.open("g", "class", mark.fault().fired() ? "number" : "number unfired");
        xml.element("title", name(mark));
        xml.empty("rect", "x", x, "y", y, "width", mark.width(), "height", ROW_HEIGHT - 3, "rx", 4.0);
        label(mark.x(), y + 11, "middle", String.valueOf(mark.number()));
        xml.close("g");
    }

    private static String name(FaultMark mark) {
        FaultLine fault = mark.fault();
        return mark.number() + ": " + fault.name() + " at " + Figures.offset(fault.atMillis())
                + (fault.fired() ? "" : ", without effect");
    }

    private void drawRecovery(Timeline.Recovery recovery) {
        Long took = report.recoveryMillis();
        double from = x(recovery.fromMillis());
        double until = took == null ? RIGHT : Math.min(RIGHT, x(recovery.fromMillis() + took));
        double width = Math.max(2, until - from);
        double y = bottom + TIME_HEIGHT;
        xml.open("g", "class", took == null ? "recovery missing" : "recovery");
        xml.empty("rect", "class", "span", "x", from, "y", top, "width", width, "height", CURVES_HEIGHT);
        xml.empty("rect", "class", "bar", "x", from, "y", y + 4, "width", width, "height", 8.0);
        String words = Words.recovery(report, recovery);
        boolean fits = from + words.length() * LETTER_WIDTH < WIDTH;
        label(fits ? from : RIGHT, y + 26, fits ? "start" : "end", words);
        xml.close("g");
    }

    private void label(double x, double y, String anchor, String words) {
        xml.element("text", words, "x", x, "y", y, "text-anchor", anchor);
    }

    private double x(long millis) {
        return LEFT + (RIGHT - LEFT) * millis / Math.max(1, timeline.durationMillis());
    }

    private double y(double value, double axisTop) {
        return bottom - CURVES_HEIGHT * value / axisTop;
    }
}

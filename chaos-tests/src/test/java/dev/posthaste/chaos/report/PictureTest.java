package dev.posthaste.chaos.report;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.History;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class PictureTest {

    private static final double TENTH = 0.051;

    @Test
    void faultMarksLieWhereTheirTimeIs() throws Exception {
        Recording recording = Recording.started()
                .fault(0, "first", true)
                .fault(15_000, "quarter", true)
                .fault(60_000, "last", false);

        List<Element> marks = Markup.withClass(picture(recording.ended(60_000)), "mark");

        assertThat(marks.stream().map(PictureTest::x))
                .usingElementComparator((one, other) -> Math.abs(one - other) < TENTH ? 0 : Double.compare(one, other))
                .containsExactly(Picture.LEFT, Picture.LEFT + (Picture.RIGHT - Picture.LEFT) / 4, Picture.RIGHT);
    }

    @Test
    void onlyAFaultThatDidNotFireIsDrawnAsSuch() throws Exception {
        Recording recording = Recording.started().fault(1000, "hit", true).fault(2000, "missed", false);

        List<Element> marks = Markup.withClass(picture(recording.ended(3000)), "mark");

        assertThat(marks.stream().map(mark -> mark.getAttribute("class"))).containsExactly("mark", "mark unfired");
        assertThat(marks.get(1).getTextContent()).contains("2: missed at +2.0 s, without effect");
    }

    @Test
    void numbersOfFaultsNeverCoverEachOther() throws Exception {
        Recording recording = Recording.started();
        for (int i = 0; i < 200; i++) {
            recording.fault(30_000 + i * 20L, "fault", true);
        }

        Document picture = picture(recording.ended(60_000));

        assertThat(Markup.withClass(picture, "mark")).hasSize(200);
        List<Element> boxes = new ArrayList<>();
        Markup.withClass(picture, "number").forEach(number -> boxes.add(Markup.first(number, "rect")));
        assertThat(boxes).hasSizeGreaterThan(FaultMark.ROWS_MAX);
        for (Element one : boxes) {
            for (Element other : boxes) {
                boolean sameRow = one.getAttribute("y").equals(other.getAttribute("y"));
                if (one != other && sameRow) {
                    double distance = Math.abs(number(one, "x") - number(other, "x"));
                    assertThat(distance).isGreaterThanOrEqualTo(Math.min(number(one, "width"), number(other, "width")));
                }
            }
        }
    }

    @Test
    void theRecoveryIsASpanWithItsFigure() throws Exception {
        Element recovery =
                Markup.withClass(picture(Recording.minute()), "recovery").get(0);

        Element bar = Markup.withClass(recovery, "bar").get(0);
        double perMilli = (Picture.RIGHT - Picture.LEFT) / 58_000;
        assertThat(number(bar, "x")).isCloseTo(Picture.LEFT + 27_000 * perMilli, within(TENTH));
        assertThat(number(bar, "width")).isCloseTo(4005 * perMilli, within(2 * TENTH));
        assertThat(recovery.getTextContent()).contains("Recovered in 4.0 s (bound 10.0 s)");
    }

    @Test
    void aRunThatDidNotRecoverSaysSo() throws Exception {
        Document picture = picture(Recording.started().fault(1000, "kill", true).ended(5000));

        assertThat(Markup.withClass(picture, "missing").get(0).getTextContent()).contains("Not recovered");
    }

    @Test
    void anEmptyHistoryYieldsAPictureThatSaysSo() throws Exception {
        Document picture = picture(new History(List.of()));

        assertThat(Markup.first(picture.getDocumentElement(), "text").getTextContent())
                .isEqualTo("The history is empty: there is nothing to draw.");
    }

    @Test
    void aRunWithoutMessagesSaysSoAndStillShowsItsFaults() throws Exception {
        Document picture = picture(Recording.started().fault(500, "kill", true).ended(1000));

        assertThat(picture.getDocumentElement().getTextContent()).contains("No message was committed or published.");
        assertThat(Markup.withClass(picture, "mark")).hasSize(1);
    }

    @Test
    void aRunOfASecondHasCurves() throws Exception {
        Recording recording = Recording.started().sample(300, 4L);
        recording.published(100, Recording.FIRST, recording.transaction(0, Entry.Result.COMMITTED));

        Document picture = picture(recording.ended(400));

        assertThat(Markup.withClass(picture, "published").stream().map(curve -> curve.getAttribute("d")))
                .contains("M64.0 190.0L896.0 190.0");
        assertThat(Markup.withClass(picture, "backlog")).hasSize(2);
    }

    @Test
    void whatIsDrawnIsToldInWordsToo() throws Exception {
        Document picture = picture(Recording.minute());

        assertThat(Markup.first(picture.getDocumentElement(), "title").getTextContent())
                .isEqualTo("Timeline of kill-relay");
        assertThat(Markup.first(picture.getDocumentElement(), "desc").getTextContent())
                .contains("58.0 s", "steady from +0.0 s", "published to due-notice", "2 of 3 faults took effect");
    }

    private static Document picture(History history) throws Exception {
        return Markup.parse(Picture.draw(1, Reports.of(history)));
    }

    private static double x(Element mark) {
        return number(Markup.first(mark, "line"), "x1");
    }

    private static double number(Element element, String attribute) {
        return Double.parseDouble(element.getAttribute(attribute));
    }
}

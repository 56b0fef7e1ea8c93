package dev.posthaste.chaos.check;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.Test;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.History;

import static org.assertj.core.api.Assertions.assertThat;

class CheckerTest {

    @Test
    void aHealthyRunHasNoFindings() {
        Verdict verdict = Story.healthy().verdict();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.passed()).isTrue();
    }

    @Test
    void everyInvariantIsLookedAt() {
        assertThat(Story.healthy().verdict().looked())
                .containsOnlyKeys(Invariant.values())
                .allSatisfy((invariant, count) -> assertThat(count).isPositive());
    }

    @Test
    void everyInvariantHasASentence() {
        assertThat(Invariant.values())
                .allSatisfy(invariant -> assertThat(invariant.sentence()).endsWith("."));
    }

    @Test
    void aHistoryThatIsCutOffAnywhereNeverPasses() {
        List<Entry> whole = Story.healthy().entries;
        for (int length = 0; length < whole.size(); length += length < whole.size() - 100 ? 19 : 1) {
            assertThat(Checker.check(new History(whole.subList(0, length))).findings())
                    .as("the first " + length + " entries")
                    .isNotEmpty();
        }
    }

    @Test
    void aHistoryOfNothingIsNotJudged() {
        Verdict verdict = Checker.check(new History(List.of()));

        assertThat(verdict.findings()).extracting(Finding::invariant).containsExactly(Invariant.DRAINED);
        assertThat(verdict.recovery()).isInstanceOf(Recovery.NotApplicable.class);
    }

    @Test
    void theOrderOfEntriesOfDifferentKindsDoesNotMatter() {
        List<Entry> turned = new ArrayList<>(Story.healthy().entries);
        turned.sort((a, b) -> b.getClass().getName().compareTo(a.getClass().getName()));

        assertThat(Checker.check(new History(turned)).findings()).isEmpty();
    }

    @Test
    void aFindingShowsSomeRecordsAndCountsAll() {
        Story story = Story.healthy();
        for (int i = 0; i < 50; i++) {
            story.with(new Entry.Stored(new UUID(999, i)));
        }

        Finding finding = story.verdict().findings().get(0);

        assertThat(story.broken()).containsExactly(Invariant.ABORTED_READ);
        assertThat(finding.records()).hasSize(Finding.RECORDS_MAX);
        assertThat(finding.total()).isEqualTo(50);
        assertThat(finding.toString()).endsWith("and 30 more");
    }

    @Test
    void twoHundredThousandMessagesAreJudgedInSeconds() {
        List<Entry> entries = new ArrayList<>();
        Story story = Story.healthy();
        story.entries.stream().filter(entry -> !(entry instanceof Entry.End)).forEach(entries::add);
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 200_000; i++) {
            Entry.Staged staged =
                    new Entry.Staged(new UUID(1L << 40, i), "many-" + i % 1000, i / 1000 + 1, "x", false, false);
            entries.add(new Entry.Intent(1_000_000 + i, Story.at(100), List.of(staged)));
            entries.add(new Entry.Outcome(1_000_000 + i, Story.at(100), Entry.Result.COMMITTED, Story.lsn(100)));
            entries.add(new Entry.Stored(staged.id()));
            for (String handler : Story.HANDLERS) {
                entries.add(story.record(handler, staged, 100, false));
                entries.add(new Entry.Delivery(handler, staged.id(), "completed", 1));
            }
            entries.add(story.effect(Story.LEDGER, staged, 100));
            entries.add(story.effect(Story.SEARCH, staged, 100));
            entries.add(new Entry.Call(Story.MAILER, staged.id().toString(), true, Story.at(100)));
            ids.add(staged.id());
        }
        Map<Invariant, Long> few = story.verdict().looked();
        long last = story.of(Entry.Batch.class).size();
        entries.add(new Entry.Batch(last + 1, 3, Story.at(121), ids));
        entries.addAll(story.of(Entry.End.class));

        ThreadMXBean threads = ManagementFactory.getThreadMXBean(); // a busy machine is no slow checker
        long begun = threads.getCurrentThreadCpuTime();
        Verdict verdict = Checker.check(new History(entries));

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.looked().get(Invariant.LOST)).isEqualTo(few.get(Invariant.LOST) + 200_000);
        assertThat(threads.getCurrentThreadCpuTime() - begun).as("nanoseconds").isLessThan(20_000_000_000L);
    }
}

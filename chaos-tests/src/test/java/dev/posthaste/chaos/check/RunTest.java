package dev.posthaste.chaos.check;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;

import dev.posthaste.chaos.history.Entry;

import static dev.posthaste.chaos.check.Story.LEDGER;
import static dev.posthaste.chaos.check.Story.MAILER;
import static dev.posthaste.chaos.check.Story.SEARCH;
import static org.assertj.core.api.Assertions.assertThat;

/** Recovery, bounds, faults, and whether a run and its history are whole and worth anything. */
class RunTest {

    private final Story story = Story.healthy();

    @Test
    void theRecoveryIsMeasuredFromTheLastHealPhaseToTheLastTopic() {
        story.change(
                Entry.Published.class,
                record -> record.handler().equals(SEARCH) && record.at().isAfter(Story.at(Story.FIRST_AFTER_HEAL)),
                record -> late(record, 700));

        assertThat(story.verdict().recovery()).isEqualTo(new Recovery.Measured(100 + 30 + 700));
        assertThat(story.broken()).isEmpty();
    }

    @Test
    void aRecoveryThatTakesTooLongOnOneTopicIsFound() {
        story.change(
                Entry.Published.class,
                record -> record.handler().equals(SEARCH) && record.at().isAfter(Story.at(Story.FIRST_AFTER_HEAL)),
                record -> late(record, 5_000));

        assertThat(story.broken()).containsExactly(Invariant.RECOVERY);
        assertThat(story.verdict().recovery()).isEqualTo(new Recovery.Measured(5_130));
    }

    @Test
    void withoutAHealPhaseTheLastFaultCounts() {
        story.without(Entry.Phase.class, phase -> phase.name().equals("heal"));

        assertThat(story.verdict().recovery()).isEqualTo(new Recovery.Measured(50 + 30));
        assertThat(story.broken()).isEmpty();
    }

    @Test
    void whatIsMendedInTheHealPhaseCountsFromThen() {
        story.with(new Entry.Fault(Story.at(90).plusMillis(50), "relay-1 started again", true, "it says standby"));

        assertThat(story.verdict().recovery()).isEqualTo(new Recovery.Measured(50 + 30));
    }

    @Test
    void aRecoveryThatNeverCameOnOneTopicIsFound() {
        story.without(
                Entry.Published.class,
                record -> record.handler().equals(MAILER) && record.at().isAfter(Story.at(Story.FIRST_AFTER_HEAL)));

        assertThat(story.verdict().recovery()).isEqualTo(new Recovery.Never(List.of(MAILER)));
        assertThat(story.broken()).contains(Invariant.RECOVERY, Invariant.LOST);
    }

    @Test
    void thereIsNoRecoveryWhereTheRelayIsToHalt() {
        assertThat(story.halting("SLOT_MISSING").verdict().recovery())
                .isEqualTo(new Recovery.NotApplicable("the relay is to halt"));
    }

    @Test
    void aRunInWhichNothingWasCommittedAfterTheLastFaultProvesNothing() {
        story.change(
                Entry.Phase.class,
                phase -> phase.name().equals("heal"),
                phase -> new Entry.Phase(Story.at(Story.LAST), "heal"));

        assertThat(story.verdict().recovery())
                .isEqualTo(new Recovery.NotMeasured("nothing was committed after the last fault"));
        assertThat(story.broken()).containsExactly(Invariant.VACUOUS);
    }

    @Test
    void aHeapAboveItsBoundIsFoundWheneverItWas() {
        story.with(
                new Entry.Sample(Story.at(40), null, null, null, null, Story.BOUNDS.relayHeapBytes() + 1, List.of()));

        assertThat(story.broken()).containsExactly(Invariant.BOUNDS);
    }

    @Test
    void walThatIsHeldBackInTheLastSampleIsFound() {
        story.with(new Entry.Sample(Story.at(132), null, null, null, Story.BOUNDS.walBytes() + 1, null, List.of()));

        assertThat(story.broken()).containsExactly(Invariant.BOUNDS);
    }

    @Test
    void walThatIsHeldBackWhereTheRelayIsToHaltIsNoWonder() {
        story.halting("SLOT_BEYOND_ACK")
                .with(new Entry.Sample(Story.at(132), null, null, null, Story.BOUNDS.walBytes() + 1, null, List.of()));

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void withoutSamplesNoBoundIsProved() {
        story.without(Entry.Sample.class, sample -> true);

        assertThat(story.broken()).containsExactly(Invariant.VACUOUS);
        assertThat(story.verdict().findings()).hasSize(2);
    }

    @Test
    void withoutASampleAfterTheDrainTheWalIsNotProved() {
        story.without(Entry.Sample.class, sample -> sample.at().isAfter(Story.at(Story.LAST)));

        assertThat(story.broken()).containsExactly(Invariant.VACUOUS);
    }

    @Test
    void aRunInWhichNothingWasBrokenProvesNothing() {
        story.without(Entry.Fault.class, fault -> true);

        assertThat(story.broken()).containsExactly(Invariant.FAULT_FIRED);
    }

    @Test
    void aFaultThatWasNotSeenToTakeEffectIsFound() {
        story.change(
                Entry.Fault.class,
                fault -> fault.name().startsWith("cut"),
                fault -> new Entry.Fault(fault.at(), fault.name(), false, "its gauge stayed at 1"));

        assertThat(story.broken()).containsExactly(Invariant.FAULT_FIRED);
    }

    @Test
    void aRunThatWasNotDrainedIsFound() {
        end(end -> new Entry.End(end.at(), false, null, end.confirmedLsn(), end.leaseFence()));

        assertThat(story.broken()).containsExactly(Invariant.DRAINED);
    }

    @Test
    void aHaltThatNobodyExpectedIsFound() {
        end(end -> new Entry.End(end.at(), true, "SLOT_MISSING", end.confirmedLsn(), end.leaseFence()));

        assertThat(story.broken()).containsExactly(Invariant.DRAINED);
    }

    @Test
    void aHaltThatWasExpectedAndDidNotComeIsFound() {
        story.expecting(new Entry.Expected("SLOT_MISSING", false));

        assertThat(story.broken()).containsExactly(Invariant.DRAINED);
    }

    @Test
    void aHaltWithAnotherCauseIsFound() {
        story.halting("SLOT_MISSING").expecting(new Entry.Expected("SLOT_INVALIDATED", false));

        assertThat(story.broken()).containsExactly(Invariant.DRAINED);
    }

    @Test
    void aHistoryWithoutAnEndIsNotWhole() {
        story.without(Entry.End.class, end -> true);

        assertThat(story.broken()).contains(Invariant.DRAINED);
    }

    @Test
    void aHistoryWithTwoEndsIsTwoHistories() {
        story.with(story.only(Entry.End.class, end -> true));

        assertThat(story.broken()).containsExactly(Invariant.DRAINED);
    }

    @Test
    void aHistoryOfTwoRunsOrNoneIsNotJudged() {
        story.with(story.only(Entry.Run.class, run -> true));
        assertThat(story.broken()).containsExactly(Invariant.DRAINED);

        story.without(Entry.Run.class, run -> true);
        assertThat(story.broken()).containsExactly(Invariant.DRAINED);
    }

    @Test
    void aRunBeginsSteadyAndIsDone() {
        assertThat(Story.healthy()
                        .without(Entry.Phase.class, phase -> phase.name().equals("steady"))
                        .broken())
                .containsExactly(Invariant.DRAINED);
        assertThat(Story.healthy()
                        .without(Entry.Phase.class, phase -> phase.name().equals("done"))
                        .broken())
                .containsExactly(Invariant.DRAINED);
        assertThat(Story.healthy().without(Entry.Phase.class, phase -> true).broken())
                .contains(Invariant.DRAINED);
    }

    @Test
    void phasesThatCannotFollowEachOtherAreFound() {
        story.with(new Entry.Phase(Story.at(136), "fault"), new Entry.Phase(Story.at(137), "done"));

        assertThat(story.broken()).containsExactly(Invariant.DRAINED);
    }

    @Test
    void aPhaseThatNobodyKnowsIsFound() {
        story.change(
                Entry.Phase.class,
                phase -> phase.name().equals("fault"),
                phase -> new Entry.Phase(phase.at(), "havoc"));

        assertThat(story.broken()).containsExactly(Invariant.DRAINED);
    }

    @Test
    void aPhaseBeforeTheOneBeforeItIsFound() {
        story.change(
                Entry.Phase.class,
                phase -> phase.name().equals("fault"),
                phase -> new Entry.Phase(Story.at(100), phase.name()));

        assertThat(story.broken()).containsExactly(Invariant.DRAINED);
    }

    @Test
    void whatIsToldTwiceOrWithoutItsBeginningIsFound() {
        Entry.Outcome outcome = story.only(Entry.Outcome.class, one -> one.tx() == Story.PLAIN);
        Entry.Intent intent = story.only(Entry.Intent.class, one -> one.tx() == Story.PLAIN);
        Entry.Delivery delivery = story.of(Entry.Delivery.class).get(0);
        story.with(
                outcome,
                new Entry.Outcome(4711, outcome.at(), Entry.Result.COMMITTED, null),
                new Entry.Intent(Story.PLAIN, intent.at(), List.of()),
                delivery);
        assertThat(story.broken()).containsExactly(Invariant.DRAINED);
        assertThat(story.verdict().findings())
                .extracting(Finding::what)
                .containsExactlyInAnyOrder(
                        "a transaction has two outcomes",
                        "a transaction has an outcome and no intent",
                        "a transaction has two intents",
                        "a message has two rows in an inbox");
    }

    @Test
    void anIdThatIsStagedTwiceIsFound() {
        story.with(new Entry.Intent(4711, Story.at(Story.PLAIN), List.of(story.message(Story.PLAIN))));

        assertThat(story.broken()).containsExactly(Invariant.DRAINED);
    }

    @Test
    void aRunWithoutACommitProvesNothing() {
        Story empty = new Story();
        empty.entries.addAll(story.entries.stream()
                .filter(entry -> entry instanceof Entry.Run
                        || entry instanceof Entry.Phase
                        || entry instanceof Entry.Fault
                        || entry instanceof Entry.Sample
                        || entry instanceof Entry.End)
                .toList());

        assertThat(empty.broken()).containsExactly(Invariant.VACUOUS);
        assertThat(empty.verdict().findings())
                .extracting(Finding::what)
                .contains(
                        "no transaction was committed", "a handler's topic has no message", "a handler has no effect");
    }

    @Test
    void aHandlerWithoutAnyMessageProvesNothing() {
        handlers(new Entry.HandlerKind("idle", true, false));

        assertThat(story.broken()).contains(Invariant.VACUOUS);
        assertThat(story.verdict().findings())
                .filteredOn(finding -> finding.invariant() == Invariant.VACUOUS)
                .extracting(Finding::what)
                .containsExactly("a handler's topic has no message", "a handler has no effect");
    }

    @Test
    void aTransactionalHandlerWithoutAnyEffectProvesNothing() {
        story.without(Entry.Effect.class, effect -> effect.handler().equals(LEDGER));

        assertThat(story.broken()).containsExactlyInAnyOrder(Invariant.VACUOUS, Invariant.EFFECT_MISSING);
    }

    @Test
    void aLeasedHandlerWithoutAnyCallProvesNothing() {
        story.without(Entry.Call.class, call -> true);

        assertThat(story.broken()).containsExactlyInAnyOrder(Invariant.VACUOUS, Invariant.EFFECT_MISSING);
    }

    @Test
    void aSlotThatNobodyKnowsProvesNothing() {
        end(end -> new Entry.End(end.at(), end.drained(), end.haltCause(), null, end.leaseFence()));

        assertThat(story.broken()).containsExactly(Invariant.VACUOUS);
    }

    @Test
    void entriesOfAHandlerThatWasNotRunAreLookedAtByNobody() {
        story.with(new Entry.Delivery("stranger", story.message(Story.PLAIN).id(), "completed", 1));

        assertThat(story.broken()).containsExactly(Invariant.VACUOUS);
    }

    private void end(UnaryOperator<Entry.End> how) {
        story.changeAll(Entry.End.class, how);
    }

    private void handlers(Entry.HandlerKind more) {
        story.changeAll(Entry.Run.class, run -> {
            List<Entry.HandlerKind> handlers = new ArrayList<>(run.handlers());
            handlers.add(more);
            return new Entry.Run(
                    run.scenario(), run.seed(), run.at(), run.versions(), handlers, run.expected(), run.bounds());
        });
    }

    private static Entry.Published late(Entry.Published record, long millis) {
        return new Entry.Published(
                record.handler(),
                record.partition(),
                record.offset(),
                record.id(),
                record.key(),
                record.sha256(),
                record.marker(),
                record.at().plusMillis(millis));
    }
}

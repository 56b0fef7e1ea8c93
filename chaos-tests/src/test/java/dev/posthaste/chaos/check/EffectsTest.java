package dev.posthaste.chaos.check;

import java.util.Locale;
import java.util.UUID;

import org.junit.jupiter.api.Test;

import dev.posthaste.chaos.history.Entry;

import static dev.posthaste.chaos.check.Story.LEDGER;
import static dev.posthaste.chaos.check.Story.MAILER;
import static dev.posthaste.chaos.check.Story.SEARCH;
import static org.assertj.core.api.Assertions.assertThat;

/** Effects of transactional handlers, calls of leased ones, and what was given up. */
class EffectsTest {

    private final Story story = Story.healthy();
    private final UUID plain = story.message(Story.PLAIN).id();

    @Test
    void aCompletedDeliveryWithoutAnEffectIsMissingIt() {
        story.without(Entry.Effect.class, this::isPlainAtSearch);

        assertThat(story.broken()).containsExactly(Invariant.EFFECT_MISSING);
    }

    @Test
    void aMessageThatNeverCameToAnInboxIsMissingItsEffect() {
        story.without(Entry.Effect.class, this::isPlainAtSearch).without(Entry.Delivery.class, this::isPlainAtSearch);

        assertThat(story.broken()).containsExactly(Invariant.EFFECT_MISSING);
    }

    @Test
    void aMessageThatStillWaitsForItsNextAttemptIsMissingItsEffect() {
        story.without(Entry.Effect.class, this::isPlainAtSearch);
        state(SEARCH, plain, "failed");

        assertThat(story.broken()).containsExactly(Invariant.EFFECT_MISSING);
    }

    @Test
    void aMessageThatWasDiscardedNeedsNoEffect() {
        story.without(Entry.Effect.class, this::isPlainAtSearch);
        state(SEARCH, plain, "discarded");

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void aDeadDeliveryWhoseDeadLetterIsNowhereIsMissing() {
        story.without(Entry.Effect.class, this::isPlainAtSearch);
        state(SEARCH, plain, "dead-letter");

        assertThat(story.broken()).containsExactly(Invariant.EFFECT_MISSING);
    }

    @Test
    void aCompletedDeliveryOfWhatWasNeverPublishedIsMissingItsEffect() {
        story.slotBefore(Story.PLAIN)
                .withoutTraceAt(SEARCH, plain)
                .with(new Entry.Delivery(SEARCH, plain, "completed", 1));

        assertThat(story.broken()).containsExactlyInAnyOrder(Invariant.LOST, Invariant.EFFECT_MISSING);
    }

    @Test
    void anEffectTwiceIsDoubled() {
        story.with(story.effect(SEARCH, story.message(Story.PLAIN), Story.PLAIN));

        assertThat(story.broken()).containsExactly(Invariant.EFFECT_DOUBLED);
    }

    @Test
    void anEffectTwiceOfAnOrderedHandlerIsDoubledAndNotOutOfOrder() {
        story.with(story.effect(LEDGER, story.message(Story.PLAIN), Story.PLAIN));

        assertThat(story.broken()).containsExactly(Invariant.EFFECT_DOUBLED);
    }

    @Test
    void anEffectWhoseDeliveryIsNotCompletedIsDoubled() {
        state(SEARCH, plain, "processing");

        assertThat(story.broken()).containsExactly(Invariant.EFFECT_DOUBLED);
    }

    @Test
    void anEffectOfADeadLetterIsDoubled() {
        story.with(story.effect(SEARCH, story.message(Story.WITH_DEAD_LETTER), Story.WITH_DEAD_LETTER));

        assertThat(story.broken()).containsExactly(Invariant.EFFECT_DOUBLED);
    }

    @Test
    void anEffectOfAMessageThatWasNeverPublishedIsDoubled() {
        story.with(
                story.effect(SEARCH, story.message(Story.WITH_REFUSED), Story.WITH_REFUSED),
                new Entry.Delivery(SEARCH, story.message(Story.WITH_REFUSED).id(), "completed", 1));

        assertThat(story.broken()).containsExactly(Invariant.EFFECT_DOUBLED);
    }

    @Test
    void whereTheRelayIsToHaltWhatWasPublishedHasItsEffectAllTheSame() {
        story.halting("SLOT_MISSING").without(Entry.Effect.class, this::isPlainAtSearch);

        assertThat(story.broken()).containsExactly(Invariant.EFFECT_MISSING);
    }

    @Test
    void whatADatabaseForgotHasItsEffectWhereItWasPublished() {
        story.expecting(new Entry.Expected(null, true))
                .without(Entry.Stored.class, row -> row.id().getMostSignificantBits() == Story.PLAIN)
                .without(Entry.Effect.class, this::isPlainAtSearch);

        assertThat(story.broken()).containsExactly(Invariant.EFFECT_MISSING);
    }

    @Test
    void aMessageWithoutACallIsMissingIt() {
        story.without(Entry.Call.class, call -> call.idempotencyKey().equals(plain.toString()));

        assertThat(story.broken()).containsExactly(Invariant.EFFECT_MISSING);
    }

    @Test
    void aMessageWithoutAnAnsweredCallIsMissingIt() {
        story.change(
                Entry.Call.class,
                call -> call.idempotencyKey().equals(plain.toString()),
                call -> new Entry.Call(call.handler(), call.idempotencyKey(), false, call.at()));

        assertThat(story.broken()).containsExactly(Invariant.EFFECT_MISSING);
    }

    @Test
    void anAnsweredCallWhoseDeliveryNeverCompletesIsMissing() {
        state(MAILER, plain, "processing");

        assertThat(story.broken()).containsExactly(Invariant.EFFECT_MISSING);
    }

    @Test
    void aCompletedDeliveryOfALeasedHandlerOfWhatWasNeverPublishedIsMissingItsCall() {
        story.slotBefore(Story.PLAIN)
                .withoutTraceAt(MAILER, plain)
                .with(new Entry.Delivery(MAILER, plain, "completed", 1));

        assertThat(story.broken()).containsExactlyInAnyOrder(Invariant.LOST, Invariant.EFFECT_MISSING);
    }

    @Test
    void aCallUnderAKeyThatIsNoMessagesIdIsFound() {
        story.with(call("order-17"), call(new UUID(77, 7777).toString()));

        assertThat(story.broken()).containsExactly(Invariant.CALLS);
        assertThat(story.verdict().findings().get(0).total()).isEqualTo(2);
    }

    @Test
    void aCallUnderAnIdThatIsWrittenOtherwiseIsFound() {
        UUID letters = new UUID(0xABCDEFL, 0xABCDEFL);
        assertThat(letters.toString().toUpperCase(Locale.ROOT)).isNotEqualTo(letters.toString());
        story.with(call(letters.toString().toUpperCase(Locale.ROOT)));

        assertThat(story.broken()).containsExactly(Invariant.CALLS);
    }

    @Test
    void aCallOfAMessageThatWasNeverPublishedToItsHandlerIsFound() {
        story.with(call(story.message(Story.WITH_REFUSED).id().toString()));

        assertThat(story.broken()).containsExactly(Invariant.CALLS);
    }

    private static Entry.Call call(String key) {
        return new Entry.Call(MAILER, key, true, Story.at(Story.PLAIN));
    }

    private boolean isPlainAtSearch(Entry.Effect effect) {
        return effect.handler().equals(SEARCH) && effect.id().equals(plain);
    }

    private boolean isPlainAtSearch(Entry.Delivery delivery) {
        return delivery.handler().equals(SEARCH) && delivery.id().equals(plain);
    }

    private void state(String handler, UUID id, String state) {
        story.change(
                Entry.Delivery.class,
                delivery -> delivery.handler().equals(handler) && delivery.id().equals(id),
                delivery -> new Entry.Delivery(handler, id, state, 3));
    }
}

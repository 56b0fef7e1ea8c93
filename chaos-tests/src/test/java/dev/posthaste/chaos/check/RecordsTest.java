package dev.posthaste.chaos.check;

import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.Test;

import dev.posthaste.chaos.history.Entry;

import static dev.posthaste.chaos.check.Story.LEDGER;
import static dev.posthaste.chaos.check.Story.MAILER;
import static dev.posthaste.chaos.check.Story.SEARCH;
import static org.assertj.core.api.Assertions.assertThat;

/** Duplicates, bytes and order. */
class RecordsTest {

    private final Story story = Story.healthy();

    @Test
    void anIdTwiceOnOneTopicIsADuplicate() {
        story.with(story.record(SEARCH, story.message(Story.PLAIN), Story.PLAIN, false));

        assertThat(story.broken()).containsExactly(Invariant.DUPLICATE);
    }

    @Test
    void aMarkerTwiceOnOneTopicIsADuplicate() {
        story.with(story.record(LEDGER, story.message(Story.WITH_REFUSED), Story.WITH_REFUSED, true));

        assertThat(story.broken()).containsExactly(Invariant.DUPLICATE);
    }

    @Test
    void otherBytesAreFound() {
        story.change(Entry.Published.class, this::isPlainAtSearch, record -> changed(record, record.key(), "other"));

        assertThat(story.broken()).containsExactly(Invariant.BYTES);
    }

    @Test
    void anotherKeyIsFound() {
        story.change(Entry.Published.class, this::isPlainAtSearch, record -> changed(record, "other", record.sha256()));

        assertThat(story.broken()).containsExactly(Invariant.BYTES);
    }

    @Test
    void aKeyThatIsGoneIsFound() {
        story.change(Entry.Published.class, this::isPlainAtSearch, record -> changed(record, null, record.sha256()));

        assertThat(story.broken()).containsExactly(Invariant.BYTES);
    }

    @Test
    void otherBytesOfADeadLetterAreFound() {
        UUID id = story.message(Story.WITH_DEAD_LETTER).id();
        story.change(
                Entry.DeadLetter.class,
                letter -> id.equals(letter.id()),
                letter -> new Entry.DeadLetter(letter.handler(), id, "other"));

        assertThat(story.broken()).containsExactly(Invariant.BYTES);
    }

    @Test
    void anEffectWithAnotherNumberIsFound() {
        UUID id = story.message(Story.PLAIN).id();
        story.change(
                Entry.Effect.class,
                effect -> effect.handler().equals(SEARCH) && effect.id().equals(id),
                effect -> new Entry.Effect(SEARCH, id, effect.key(), 4711, effect.place(), effect.at()));

        assertThat(story.broken()).containsExactly(Invariant.BYTES);
    }

    @Test
    void twoMessagesOfAKeyTheWrongWayRoundAreOutOfOrder() {
        List<Entry.Published> ofOneKey = story.of(Entry.Published.class).stream()
                .filter(record -> record.handler().equals(MAILER) && "key-3".equals(record.key()))
                .toList();
        long first = ofOneKey.get(4).offset();
        long second = ofOneKey.get(5).offset();
        story.change(
                Entry.Published.class,
                record -> ofOneKey.subList(4, 6).contains(record),
                record -> moved(record, record.partition(), record.offset() == first ? second : first));

        assertThat(story.broken()).containsExactly(Invariant.ORDER);
    }

    @Test
    void aRepairedMessageComesOutsideTheOrderAndSaysSo() {
        story.change(Entry.Published.class, this::isPlainAtSearch, record -> {
            Entry.Published last = moved(record, record.partition(), 1_000_000);
            return new Entry.Published(
                    last.handler(),
                    last.partition(),
                    last.offset(),
                    last.id(),
                    last.key(),
                    last.sha256(),
                    last.marker(),
                    last.at(),
                    true);
        });

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void aMessageThatComesAfterAllLaterOnesOfItsKeyIsOutOfOrder() {
        story.change(
                Entry.Published.class, this::isPlainAtSearch, record -> moved(record, record.partition(), 1_000_000));

        assertThat(story.broken()).containsExactly(Invariant.ORDER);
    }

    @Test
    void aMarkerHasItsPlaceInTheOrder() {
        story.change(
                Entry.Published.class, Entry.Published::marker, record -> moved(record, record.partition(), 1_000_000));

        assertThat(story.broken()).containsExactly(Invariant.ORDER);
    }

    @Test
    void aKeyInTwoPartitionsIsOutOfOrder() {
        story.change(
                Entry.Published.class,
                this::isPlainAtSearch,
                record -> moved(record, record.partition() + 1, record.offset()));

        assertThat(story.broken()).containsExactly(Invariant.ORDER);
    }

    @Test
    void effectsOfAnOrderedHandlerAreInOrder() {
        UUID id = story.message(Story.PLAIN).id();
        story.change(
                Entry.Effect.class,
                effect -> effect.handler().equals(LEDGER) && effect.id().equals(id),
                effect -> new Entry.Effect(LEDGER, id, effect.key(), effect.number(), 1_000_000, effect.at()));

        assertThat(story.broken()).containsExactly(Invariant.ORDER);
    }

    @Test
    void effectsOfAHandlerThatIsNotOrderedNeedNotBe() {
        UUID id = story.message(Story.PLAIN).id();
        story.change(
                Entry.Effect.class,
                effect -> effect.handler().equals(SEARCH) && effect.id().equals(id),
                effect -> new Entry.Effect(SEARCH, id, effect.key(), effect.number(), 1_000_000, effect.at()));

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void numbersThatADatabaseForgotAreGivenOutAgain() {
        story.expecting(new Entry.Expected(null, true))
                .without(Entry.Stored.class, row -> row.id().getMostSignificantBits() == Story.LAST);
        Entry.Staged forgotten = story.message(Story.LAST);
        Entry.Staged again = new Entry.Staged(
                new UUID(500, 0), forgotten.key(), forgotten.number(), forgotten.sha256(), false, false);
        story.with(
                new Entry.Intent(500, Story.at(Story.LAST), List.of(again)),
                new Entry.Outcome(500, Story.at(Story.LAST), Entry.Result.COMMITTED, null),
                new Entry.Stored(again.id()),
                new Entry.Batch(
                        story.of(Entry.Batch.class).size() + 1,
                        3,
                        Story.at(Story.LAST).plusMillis(90),
                        List.of(again.id())));
        for (String handler : Story.HANDLERS) {
            story.with(
                    story.record(handler, again, Story.LAST, false),
                    new Entry.Delivery(handler, again.id(), "completed", 1));
        }
        story.with(
                story.effect(LEDGER, again, Story.LAST),
                story.effect(SEARCH, again, Story.LAST),
                new Entry.Call(MAILER, again.id().toString(), true, Story.at(Story.LAST)));

        assertThat(story.broken()).isEmpty();
    }

    private boolean isPlainAtSearch(Entry.Published record) {
        return record.handler().equals(SEARCH)
                && story.message(Story.PLAIN).id().equals(record.id());
    }

    private static Entry.Published changed(Entry.Published record, String key, String sha256) {
        return new Entry.Published(
                record.handler(),
                record.partition(),
                record.offset(),
                record.id(),
                key,
                sha256,
                record.marker(),
                record.at());
    }

    private static Entry.Published moved(Entry.Published record, int partition, long offset) {
        return new Entry.Published(
                record.handler(),
                partition,
                offset,
                record.id(),
                record.key(),
                record.sha256(),
                record.marker(),
                record.at());
    }
}

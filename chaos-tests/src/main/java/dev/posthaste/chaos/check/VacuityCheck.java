package dev.posthaste.chaos.check;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.posthaste.chaos.history.Entry;

/** Whether there was anything that the other checks could have failed on. */
final class VacuityCheck implements Check {

    @Override
    public void judge(Facts facts, Findings findings) {
        long committed = facts.history().of(Entry.Outcome.class).stream()
                .filter(outcome -> outcome.result() == Entry.Result.COMMITTED)
                .count();
        findings.looked(Invariant.VACUOUS, committed);
        if (committed == 0) {
            nothing("no transaction was committed", facts.run().scenario(), findings);
        }
        Set<String> effects = facts.history().of(Entry.Effect.class).stream()
                .map(Entry.Effect::handler)
                .collect(Collectors.toSet());
        Set<String> answered = facts.history().of(Entry.Call.class).stream()
                .filter(Entry.Call::answered)
                .map(Entry.Call::handler)
                .collect(Collectors.toSet());
        if (facts.run().handlers().isEmpty()) {
            nothing("no handler was run", facts.run().scenario(), findings);
        }
        for (Entry.HandlerKind handler : facts.run().handlers()) {
            if (facts.topic(handler.name()).messages().isEmpty()) {
                nothing("a handler's topic has no message", handler, findings);
            }
            if (!(handler.transactional() ? effects : answered).contains(handler.name())) {
                nothing("a handler has no effect", handler, findings);
            }
        }
        // Where the relay is to halt there may be no slot.
        if (!facts.isHaltExpected() && findings.looked(Invariant.SLOT_PAST_UNPUBLISHED) == 0) {
            nothing(
                    "no committed message is known to be below the slot",
                    facts.run().scenario(),
                    findings);
        }
        judgeNames(facts, findings);
    }

    /** What is told of a handler that is not the run's would be looked at by nobody. */
    private static void judgeNames(Facts facts, Findings findings) {
        Set<String> told = new HashSet<>();
        facts.history().entries().stream().flatMap(VacuityCheck::handler).forEach(told::add);
        told.stream()
                .filter(handler -> !facts.topics().containsKey(handler))
                .sorted()
                .forEach(handler -> nothing("entries tell of a handler that is none of the run's", handler, findings));
    }

    private static Stream<String> handler(Entry entry) {
        if (entry instanceof Entry.Published published) {
            return Stream.of(published.handler());
        } else if (entry instanceof Entry.Delivery delivery) {
            return Stream.of(delivery.handler());
        } else if (entry instanceof Entry.DeadLetter letter) {
            return Stream.of(letter.handler());
        } else if (entry instanceof Entry.Effect effect) {
            return Stream.of(effect.handler());
        } else if (entry instanceof Entry.Call call) {
            return Stream.of(call.handler());
        }
        return Stream.empty();
    }

    private static void nothing(String what, Object record, Findings findings) {
        findings.add(Invariant.VACUOUS, what, record);
    }
}

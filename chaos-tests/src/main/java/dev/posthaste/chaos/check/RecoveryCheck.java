package dev.posthaste.chaos.check;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;

/** Whether new messages flowed soon enough once nothing was broken any more. */
final class RecoveryCheck implements Check {

    @Override
    public void judge(Facts facts, Findings findings) {
        long bound = facts.run().bounds().recoveryMillis();
        Recovery recovery = recovery(facts);
        if (recovery instanceof Recovery.Measured measured) {
            findings.looked(Invariant.RECOVERY, 1);
            if (measured.millis() > bound) {
                findings.add(
                        Invariant.RECOVERY,
                        "the recovery took longer than " + bound + " ms",
                        measured.millis() + " ms");
            }
        } else if (recovery instanceof Recovery.Never never) {
            findings.looked(Invariant.RECOVERY, 1);
            findings.add(
                    Invariant.RECOVERY,
                    "nothing that was committed after the last fault has arrived",
                    "on the topics of " + never.handlers());
        } else if (recovery instanceof Recovery.NotMeasured unmeasured) {
            findings.add(Invariant.VACUOUS, "the recovery could not be measured", unmeasured.why());
        }
    }

    /** Measures it. A clock that tells that a record is older than its commit has told a recovery of 0. */
    static Recovery recovery(Facts facts) {
        if (facts.isHaltExpected()) {
            return new Recovery.NotApplicable("the relay is to halt");
        }
        Optional<Instant> mended = mended(facts);
        if (mended.isEmpty()) {
            return new Recovery.NotApplicable("nothing was broken");
        }
        List<Message> later = facts.messages().all().stream()
                .filter(message -> message.isCommitted() && message.mayBePublished())
                .filter(message -> isCommittedAfter(mended.get(), message.outcome()))
                .toList();
        if (later.isEmpty()) {
            return new Recovery.NotMeasured("nothing was committed after the last fault");
        }
        List<String> never = new ArrayList<>();
        Instant recovered = mended.get();
        for (String handler : facts.topics().keySet()) {
            Optional<Instant> first = first(later, facts.topic(handler));
            if (first.isEmpty()) {
                never.add(handler);
            } else if (first.get().isAfter(recovered)) {
                recovered = first.get();
            }
        }
        return never.isEmpty()
                ? new Recovery.Measured(
                        Duration.between(mended.get(), recovered).toMillis())
                : new Recovery.Never(List.copyOf(never));
    }

    /** What is mended while the last heal phase lasts counts as a fault until then. */
    private static Optional<Instant> mended(Facts facts) {
        Stream<Instant> heals = facts.history().of(Entry.Phase.class).stream()
                .filter(phase -> phase.name().equals("heal"))
                .map(Entry.Phase::at);
        Stream<Instant> faults = facts.history().of(Entry.Fault.class).stream().map(Entry.Fault::at);
        return Stream.concat(heals, faults).max(Instant::compareTo);
    }

    private static boolean isCommittedAfter(Instant mended, Entry.@Nullable Outcome outcome) {
        return outcome != null
                && outcome.result() == Entry.Result.COMMITTED
                && outcome.at().isAfter(mended);
    }

    private static Optional<Instant> first(List<Message> messages, Topic topic) {
        return messages.stream()
                .flatMap(message ->
                        Stream.ofNullable(topic.message(message.staged().id())))
                .map(Entry.Published::at)
                .min(Instant::compareTo);
    }
}

package dev.posthaste.chaos.load;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Draws the transactions of one writer. Used by one thread. */
final class Planner {

    private static final int HUGE_KEYS_MAX = 100;
    private static final int OPEN_MESSAGES = 5;

    private final LoadSettings settings;
    private final Random random;

    Planner(LoadSettings settings, Random random) {
        this.settings = settings;
        this.random = random;
    }

    /** One of the many. */
    Plan next() {
        int messages = 1 + random.nextInt(settings.transactionMax());
        boolean rollsBack = random.nextDouble() < settings.rollbackShare();
        return new Plan(messages("key", settings.keys(), messages), rollsBack, Duration.ZERO);
    }

    /** The extra one with very many messages. It has keys of its own, or nobody else could commit meanwhile. */
    Plan huge() {
        return new Plan(messages("huge", HUGE_KEYS_MAX, settings.huge()), false, Duration.ZERO);
    }

    /** The extra one that stays open. It has keys of its own as well. */
    Plan open() {
        return new Plan(messages("open", OPEN_MESSAGES, OPEN_MESSAGES), false, settings.openFor());
    }

    private List<Plan.Message> messages(String prefix, int keys, int count) {
        return IntStream.range(0, count)
                .mapToObj(unused -> message(prefix + "-" + (1 + random.nextInt(keys))))
                .toList();
    }

    private Plan.Message message(String key) {
        boolean large = random.nextDouble() < settings.largeShare();
        boolean undone = random.nextDouble() < settings.savepointShare();
        boolean refused = random.nextDouble() < settings.refusedShare();
        int between = settings.payloadBytesMax() - settings.payloadBytesMin() + 1;
        int filler = large ? settings.largeBytes() : settings.payloadBytesMin() + random.nextInt(between);
        return new Plan.Message(key, filler, undone, refused);
    }
}

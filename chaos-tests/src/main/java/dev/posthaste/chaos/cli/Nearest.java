package dev.posthaste.chaos.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

import dev.posthaste.relay.cli.Spelling;

/** Guesses which name a misspelt one was meant to be. */
final class Nearest {

    /** One letter in so many may be wrong; with more, a guess would only mislead. */
    private static final int LETTERS_PER_MISTAKE = 4;

    private Nearest() {}

    /** The known name that is nearest to that one; empty when none is near. */
    static Optional<String> to(String name, Collection<String> known) {
        return known.stream()
                .filter(candidate -> Spelling.distance(name, candidate) <= 1 + candidate.length() / LETTERS_PER_MISTAKE)
                .min(Comparator.comparingInt(candidate -> Spelling.distance(name, candidate)));
    }
}

package dev.posthaste.chaos.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Guesses which name a misspelt one was meant to be. */
final class Nearest {

    /** One letter in so many may be wrong; with more, a guess would only mislead. */
    private static final int LETTERS_PER_MISTAKE = 4;

    private Nearest() {}

    /** The known name that is nearest to that one; empty when none is near. */
    static Optional<String> to(String name, Collection<String> known) {
        return known.stream()
                .filter(candidate -> distance(name, candidate) <= 1 + candidate.length() / LETTERS_PER_MISTAKE)
                .min(Comparator.comparingInt(candidate -> distance(name, candidate)));
    }

    /** Levenshtein's distance. */
    private static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
            }
            previous = current;
        }
        return previous[b.length()];
    }
}

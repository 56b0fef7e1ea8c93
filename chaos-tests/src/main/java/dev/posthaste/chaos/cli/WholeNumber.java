package dev.posthaste.chaos.cli;

import dev.posthaste.relay.cli.UsageException;

/** Reads numbers of the command line, so that an error tells the rule. */
final class WholeNumber {

    private WholeNumber() {}

    /**
     * The number in that text.
     *
     * @throws UsageException when it is none, or not from min to max
     */
    static long of(String option, String text, long min, long max) {
        try {
            long number = Long.parseLong(text.strip());
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // told below, with the rule
        }
        throw new UsageException(option + " is " + (text.isBlank() ? "empty" : text)
                + ", but must be a whole number from " + min + " to " + max);
    }
}

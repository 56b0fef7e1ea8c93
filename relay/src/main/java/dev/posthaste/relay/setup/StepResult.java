package dev.posthaste.relay.setup;

/**
 * What a step of {@code init} did.
 *
 * @param made whether it made something, or found all as it should be
 * @param text what, in one line
 */
public record StepResult(boolean made, String text) {

    static StepResult made(String text) {
        return new StepResult(true, text);
    }

    static StepResult there(String text) {
        return new StepResult(false, text);
    }
}

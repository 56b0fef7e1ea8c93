package dev.posthaste.chaos.check;

import java.util.List;

/** How long it took from the end of the last fault until new messages were on every topic. */
public sealed interface Recovery {

    /** So long. */
    record Measured(long millis) implements Recovery {}

    /** New messages were committed, and none of them has come to these handlers' topics. */
    record Never(List<String> handlers) implements Recovery {}

    /** It ought to have been measured and was not, and why. */
    record NotMeasured(String why) implements Recovery {}

    /** There is none to measure in this run, and why. */
    record NotApplicable(String why) implements Recovery {}
}

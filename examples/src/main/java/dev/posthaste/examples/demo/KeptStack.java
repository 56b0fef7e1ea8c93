package dev.posthaste.examples.demo;

import java.util.List;

/** What to type while the stack is kept running. */
final class KeptStack {

    private KeptStack() {}

    static List<String> lines(DemoStack stack) {
        return List.of(
                "",
                "Everything keeps running until Ctrl-C.",
                "  outbox     " + stack.psqlUrl("lending", DemoStack.OUTBOX_DATABASE),
                "  effects    " + stack.psqlUrl("circulation", DemoStack.CIRCULATION_DATABASE),
                "             " + stack.psqlUrl("reporting", DemoStack.REPORTING_DATABASE),
                "  Kafka      " + stack.kafka() + ", topics library.due-notice and library.statistics",
                "  relay      http://127.0.0.1:" + stack.relayPort() + "/health/ready and /metrics");
    }
}

package dev.posthaste.consumer;

/** The payload of most tests: the n-th loan of a member. */
record Loan(String member, int n) {

    static final String TYPE = "library.loan-borrowed";

    String json() {
        return "{\"member\": \"" + member + "\", \"n\": " + n + ", \"unknown\": true}";
    }
}

package dev.posthaste.chaos.consumer;

/** The payload of {@code chaos.moved}, without its filler. */
record Moved(String key, long number) {}

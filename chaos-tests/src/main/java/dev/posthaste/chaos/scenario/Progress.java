package dev.posthaste.chaos.scenario;

import dev.posthaste.chaos.history.Entry;

/** Is told how a run goes, while it goes. Thread-safe. */
public interface Progress {

    /** A scenario begins. */
    void begins(String scenario);

    /** A phase of it begins. */
    void phase(String name);

    /** How things stand, about every second. */
    void sample(Entry.Sample sample);

    /** Something that a reader should know. */
    void note(String text);
}

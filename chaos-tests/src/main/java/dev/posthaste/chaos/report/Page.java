package dev.posthaste.chaos.report;

import java.util.List;

/** A format that a report is written in: what is told is the same in each. Escapes all it is given. */
interface Page {

    /** The first line. */
    void title(String text);

    /** Begins a part. */
    void heading(String text);

    /** Begins the part of a scenario, the how-manieth from 1. */
    void scenario(int number, ScenarioReport report);

    /** Begins a part of a scenario's part. */
    void subheading(String text);

    /** A paragraph. */
    void paragraph(Text... pieces);

    /** A table. */
    void table(Table table);

    /** Lines as they are. */
    void lines(List<String> lines);

    /** A scenario's timeline. */
    void timeline(int number, ScenarioReport report);

    /** All of it. */
    String text();
}

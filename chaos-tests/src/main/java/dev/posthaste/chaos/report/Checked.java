package dev.posthaste.chaos.report;

/**
 * Something that was looked for. Immutable.
 *
 * @param title the title of problems of its kind, as "LOST"
 * @param sentence what must hold
 * @param looked how many things were looked at; 0: it was not judged
 */
public record Checked(String title, String sentence, long looked) {}

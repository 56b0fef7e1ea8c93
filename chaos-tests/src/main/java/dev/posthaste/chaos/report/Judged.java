package dev.posthaste.chaos.report;

/**
 * What all runs together say of one thing that must hold. Immutable.
 *
 * @param sentence empty for what went wrong without being looked for
 * @param looked how many things were looked at
 * @param violations how many of them are not as they must be
 */
record Judged(String title, String sentence, long looked, long violations) {

    static Judged of(Checked checked) {
        return new Judged(checked.title(), checked.sentence(), checked.looked(), 0);
    }

    static Judged of(Problem problem) {
        return new Judged(problem.title(), "", 0, problem.total());
    }

    Judged plus(Judged other) {
        return new Judged(title, sentence, looked + other.looked, violations + other.violations);
    }
}

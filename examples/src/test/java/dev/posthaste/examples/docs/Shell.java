package dev.posthaste.examples.docs;

import java.util.regex.Pattern;

/** As much of a shell as the pages use. */
final class Shell {

    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");

    private Shell() {}

    /** Splits a command into words, quotes taken off; stops at a comment. */
    static String[] words(String command) {
        return WORD.matcher(command)
                .results()
                .map(word ->
                        word.group(1) != null ? word.group(1) : word.group(2) != null ? word.group(2) : word.group(3))
                .takeWhile(word -> !word.equals("#"))
                .toArray(String[]::new);
    }
}

package dev.posthaste.consumer.inbox;

/**
 * Text of others, of a record or an exception, as it may be shown: a log has one line for one event, a terminal obeys
 * no one else, and PostgreSQL has no NUL in text.
 */
public final class Printable {

    private Printable() {}

    /** The same with every character that is not shown but obeyed written out, as {@code \\n} or {@code \\u001b}. */
    public static String of(String text) {
        if (text.codePoints().noneMatch(Printable::isObeyed)) {
            return text;
        }
        StringBuilder printable = new StringBuilder();
        text.codePoints().forEach(c -> {
            if (!isObeyed(c)) {
                printable.appendCodePoint(c);
            } else if (c == '\n') {
                printable.append("\\n");
            } else if (c == '\r') {
                printable.append("\\r");
            } else if (c == '\t') {
                printable.append("\\t");
            } else {
                printable.append(String.format("\\u%04x", c));
            }
        });
        return printable.toString();
    }

    /** Line and paragraph separators, what turns the direction of writing, and halves of pairs among them. */
    private static boolean isObeyed(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.FORMAT,
                    Character.SURROGATE -> true;
            default -> false;
        };
    }
}

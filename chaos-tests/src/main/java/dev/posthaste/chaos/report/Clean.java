package dev.posthaste.chaos.report;

/** Makes text fit to be shown: evidence is what a process or a topic gave, and may hold anything. */
final class Clean {

    private static final int REPLACEMENT = 0xFFFD;

    private Clean() {}

    /** Every line's end as a line feed, and what no XML may hold as a replacement character. */
    static String text(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.replace("\r\n", "\n")
                .replace('\r', '\n')
                .codePoints()
                .map(Clean::codePoint)
                .forEach(clean::appendCodePoint);
        return clean.toString();
    }

    private static int codePoint(int codePoint) {
        boolean control = Character.isISOControl(codePoint) && codePoint != '\n' && codePoint != '\t';
        boolean half = codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
        boolean noCharacter = codePoint == 0xFFFE || codePoint == 0xFFFF;
        return control || half || noCharacter ? REPLACEMENT : codePoint;
    }
}

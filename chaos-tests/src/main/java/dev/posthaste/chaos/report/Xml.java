package dev.posthaste.chaos.report;

import java.util.Locale;

/** XML, written piece by piece; every text and every value is escaped. Used by one thread. */
final class Xml {

    private final StringBuilder out = new StringBuilder();

    /** A start tag, its attributes as names and values in turn. */
    Xml open(String element, Object... attributes) {
        tag(element, attributes);
        out.append('>');
        return this;
    }

    /** An end tag. */
    Xml close(String element) {
        out.append("</").append(element).append(">\n");
        return this;
    }

    /** An element without content; in HTML only for those that never have any. */
    Xml empty(String element, Object... attributes) {
        tag(element, attributes);
        out.append("/>");
        return this;
    }

    /** Text, its line ends as they are. */
    Xml text(String text) {
        out.append(escaped(text));
        return this;
    }

    /** An element with text and nothing else. */
    Xml element(String element, String text, Object... attributes) {
        return open(element, attributes).text(text).close(element);
    }

    /** What is XML already. */
    Xml raw(String xml) {
        out.append(xml);
        return this;
    }

    private void tag(String element, Object... attributes) {
        out.append('<').append(element);
        for (int i = 0; i < attributes.length; i += 2) {
            out.append(' ').append(attributes[i]).append("=\"");
            out.append(value(attributes[i + 1])).append('"');
        }
    }

    private static String value(Object value) {
        return value instanceof Double number ? number(number) : escaped(String.valueOf(value));
    }

    /** A length or a place, to a tenth. */
    static String number(double number) {
        return String.format(Locale.ROOT, "%.1f", number);
    }

    private static String escaped(String text) {
        return Clean.text(text)
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    @Override
    public String toString() {
        return out.toString();
    }
}

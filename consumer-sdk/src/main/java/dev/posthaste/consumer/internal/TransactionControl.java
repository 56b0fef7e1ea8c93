package dev.posthaste.consumer.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Finds the statements of an SQL text that would end the transaction, as far as comments, quotes and semicolons tell.
 * Not for malice: what it does not find is noticed when the handler has come back.
 */
final class TransactionControl {

    /** By their first words; {@code ROLLBACK TO} a savepoint ends nothing. */
    private static final Pattern ENDS_TRANSACTION =
            Pattern.compile("(commit|end|abort|prepare transaction|rollback(?! (work |transaction )?to\\b))\\b.*");

    private static final int WORDS_TOLD_MAX = 4;

    private final String sql;
    private int at;
    private final List<String> firstWords = new ArrayList<>();
    private boolean onlyWords = true;

    /** Depth within {@code BEGIN ATOMIC ...; END}, the body of a function in standard SQL, which is one statement. */
    private int bodies;

    private TransactionControl(String sql) {
        this.sql = sql;
    }

    /** Whether one of its statements would. */
    static boolean endsTransaction(String sql) {
        return new TransactionControl(sql).find();
    }

    private boolean find() {
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c == ';' && bodies == 0) {
                if (isEnd()) {
                    return true;
                }
                firstWords.clear();
                onlyWords = true;
                at++;
            } else if (sql.startsWith("--", at)) {
                skipLine();
            } else if (sql.startsWith("/*", at)) {
                skipComment();
            } else if (Character.isLetter(c) || c == '_') {
                word();
            } else if (Character.isWhitespace(c)) {
                at++;
            } else {
                onlyWords = false;
                skipOther(c);
            }
        }
        return isEnd();
    }

    private boolean isEnd() {
        return ENDS_TRANSACTION.matcher(String.join(" ", firstWords)).matches();
    }

    private void skipLine() {
        while (at < sql.length() && sql.charAt(at) != '\n' && sql.charAt(at) != '\r') {
            at++;
        }
    }

    /** They nest. */
    private void skipComment() {
        int depth = 0;
        do {
            boolean opens = sql.startsWith("/*", at);
            boolean closes = sql.startsWith("*/", at);
            depth += opens ? 1 : closes ? -1 : 0;
            at += opens || closes ? 2 : 1;
        } while (depth > 0 && at < sql.length());
    }

    private void word() {
        int from = at;
        while (at < sql.length() && isOfWord(sql.charAt(at))) {
            at++;
        }
        String word = sql.substring(from, at).toLowerCase(Locale.ROOT);
        if (word.equals("e") && at < sql.length() && sql.charAt(at) == '\'') {
            onlyWords = false;
            skipQuoted('\'', true);
            return;
        }
        if (onlyWords && firstWords.size() < WORDS_TOLD_MAX) {
            firstWords.add(word);
        }
        if (!firstWords.isEmpty() && firstWords.get(0).equals("create")) {
            boolean opens = word.equals("begin") || (bodies > 0 && word.equals("case"));
            bodies += opens ? 1 : bodies > 0 && word.equals("end") ? -1 : 0;
        }
    }

    private static boolean isOfWord(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '$';
    }

    private void skipOther(char c) {
        if (c == '\'' || c == '"') {
            skipQuoted(c, false);
        } else if (c == '$') {
            skipDollarQuoted();
        } else {
            at++;
        }
    }

    /** A doubled quote is the end of one and the beginning of another. */
    private void skipQuoted(char quote, boolean knowsBackslashes) {
        at++;
        while (at < sql.length() && sql.charAt(at) != quote) {
            at += knowsBackslashes && sql.charAt(at) == '\\' ? 2 : 1;
        }
        at++;
    }

    /** {@code $$...$$} and {@code $tag$...$tag$}; {@code $1} is a parameter. */
    private void skipDollarQuoted() {
        int tagEnd = at + 1;
        while (tagEnd < sql.length() && sql.charAt(tagEnd) != '$' && isOfWord(sql.charAt(tagEnd))) {
            tagEnd++;
        }
        boolean isQuote = tagEnd < sql.length() && sql.charAt(tagEnd) == '$' && !Character.isDigit(sql.charAt(at + 1));
        if (!isQuote) {
            at++;
            return;
        }
        String tag = sql.substring(at, tagEnd + 1);
        int end = sql.indexOf(tag, tagEnd + 1);
        at = end < 0 ? sql.length() : end + tag.length();
    }
}

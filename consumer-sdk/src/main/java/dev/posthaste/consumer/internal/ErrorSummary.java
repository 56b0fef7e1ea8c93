package dev.posthaste.consumer.internal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

/**
 * Tells an error in a bounded number of words and without what the payload says: drivers and parsers like to quote
 * values. Every value of a JSON payload is struck out of the messages; if the payload is not JSON, the messages are
 * left out altogether.
 */
final class ErrorSummary {

    private static final int CAUSES_MAX = 4;
    private static final int FRAMES_MAX = 6;
    private static final int MESSAGE_CHARACTERS_MAX = 300;

    /** Shorter values tell nothing, and striking them out would leave no readable message. */
    private static final int SECRET_CHARACTERS_MIN = 3;

    /** Payloads with more values than this get no messages: striking out would take too long. */
    private static final int SECRETS_MAX = 5_000;

    private static final JsonFactory JSON = new JsonFactory();

    private ErrorSummary() {}

    static String of(Throwable error, byte[] payload) {
        List<String> secrets = new ArrayList<>();
        boolean json = collect(payload, secrets);
        secrets.sort(Comparator.comparingInt(String::length).reversed());
        StringBuilder summary = new StringBuilder();
        Throwable cause = error;
        for (int i = 0; i < CAUSES_MAX && cause != null; i++, cause = cause.getCause()) {
            summary.append(i == 0 ? "" : "; caused by ").append(cause.getClass().getName());
            if (json && cause.getMessage() != null) {
                summary.append(": ").append(redact(cause.getMessage(), secrets));
            }
        }
        return summary.append(frames(error)).toString();
    }

    private static String redact(String message, List<String> secrets) {
        String redacted = message;
        for (String secret : secrets) {
            redacted = redacted.replace(secret, "***");
        }
        redacted = redacted.replaceAll("\\s+", " ").strip();
        return redacted.length() <= MESSAGE_CHARACTERS_MAX
                ? redacted
                : redacted.substring(0, MESSAGE_CHARACTERS_MAX) + "…";
    }

    private static String frames(Throwable error) {
        StringBuilder frames = new StringBuilder();
        StackTraceElement[] stack = error.getStackTrace();
        for (int i = 0; i < Math.min(FRAMES_MAX, stack.length); i++) {
            frames.append(i == 0 ? " at " : " < ").append(stack[i]);
        }
        return frames.toString();
    }

    /** Whether the payload is JSON from beginning to end, with all its values now in the list. */
    private static boolean collect(byte[] payload, List<String> secrets) {
        try (JsonParser parser = JSON.createParser(payload)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                boolean value = token == JsonToken.VALUE_STRING || token.isNumeric();
                if (secrets.size() == SECRETS_MAX) {
                    return false;
                }
                if (value && parser.getText().length() >= SECRET_CHARACTERS_MIN) {
                    secrets.add(parser.getText());
                }
            }
            return true;
        } catch (IOException notJson) {
            return false;
        }
    }
}

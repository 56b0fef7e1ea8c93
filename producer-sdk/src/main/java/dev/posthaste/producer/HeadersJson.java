package dev.posthaste.producer;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.posthaste.schemas.MessageLimits;

/** Headers as the JSON object that the table keeps. */
final class HeadersJson {

    private static final ObjectWriter WRITER = new JsonMapper().writer();

    private HeadersJson() {}

    static String write(Map<String, String> headers) {
        String json = toJson(headers);
        int bytes = json.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MessageLimits.HEADERS_BYTES_MAX) {
            throw new IllegalArgumentException("headers has " + bytes + " bytes as JSON, but may have at most "
                    + MessageLimits.HEADERS_BYTES_MAX + "; put what is large into the payload");
        }
        return json;
    }

    private static String toJson(Map<String, String> headers) {
        try {
            return WRITER.writeValueAsString(headers);
        } catch (JsonProcessingException impossible) { // a map of strings
            throw new IllegalStateException(impossible);
        }
    }
}

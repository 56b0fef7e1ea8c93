package dev.posthaste.schemas.catalog;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.HumanDuration;
import dev.posthaste.schemas.MessageKind;

/** Makes records of nodes that the JSON Schema has accepted. */
final class RecordMapper {

    private RecordMapper() {}

    static EventRecord event(JsonNode node) {
        Map<Integer, EventRecord.EventVersion> versions = new HashMap<>();
        for (JsonNode version : node.get("versions")) {
            int number = version.get("version").intValue();
            Map<String, String> classifications = strings(version.get("classifications"));
            if (versions.put(number, new EventRecord.EventVersion(version.get("schema"), classifications)) != null) {
                throw new IllegalArgumentException("version " + number + " is there twice; keep one");
            }
        }
        return new EventRecord(
                node.get("type").asText(),
                MessageKind.ofWireName(node.get("kind").asText()),
                textOrNull(node, "direction"),
                textOrNull(node, "trust"),
                node.get("owner").asText(),
                versions);
    }

    static HandlerRecord handler(JsonNode node, Map<String, EventRecord> events) {
        List<HandlerRecord.Subscription> subscriptions = new ArrayList<>();
        for (JsonNode subscription : node.get("subscribes")) {
            Set<Integer> versions = new HashSet<>();
            subscription.get("versions").forEach(version -> versions.add(version.intValue()));
            String type = subscription.get("type").asText();
            if (subscriptions.stream().anyMatch(other -> other.type().equals(type))) {
                throw new IllegalArgumentException(
                        "it subscribes to " + type + " twice; put all versions into one subscription");
            }
            subscriptions.add(new HandlerRecord.Subscription(type, versions));
        }
        String mode = textOrNull(node, "mode");
        return new HandlerRecord(
                node.get("handler").asText(),
                node.get("owner").asText(),
                subscriptions,
                mode == null ? defaultMode(subscriptions, events) : DeliveryMode.valueOf(constant(mode)),
                DeliveryOrder.valueOf(constant(node.get("order").asText())),
                OnDeadLetter.valueOf(constant(node.get("onDeadLetter").asText())),
                delivery(node.get("delivery")));
    }

    /** The kind picks the mode; where a handler reads kinds that ask for different ones, it must say. */
    private static DeliveryMode defaultMode(
            List<HandlerRecord.Subscription> subscriptions, Map<String, EventRecord> events) {
        Set<DeliveryMode> modes = new HashSet<>();
        for (HandlerRecord.Subscription subscription : subscriptions) {
            EventRecord event = events.get(subscription.type());
            modes.add(event == null ? DeliveryMode.TRANSACTIONAL : DeliveryMode.defaultFor(event.kind()));
        }
        if (modes.size() > 1) {
            throw new IllegalArgumentException(
                    "mode is missing, and the kinds it subscribes to ask for different ones; set mode to transactional or leased");
        }
        return modes.iterator().next();
    }

    private static DurableDelivery delivery(JsonNode node) {
        JsonNode retry = node.get("retry");
        JsonNode alerts = node.get("alerts");
        return new DurableDelivery(
                node.get("guarantee").asText(),
                node.get("boundary").asText(),
                node.get("duplicates").asText(),
                new DurableDelivery.Retry(
                        retry.get("attempts").intValue(),
                        duration(retry, "first"),
                        duration(retry, "max"),
                        duration(retry, "horizon")),
                node.get("runbook").asText(),
                duration(node, "target"),
                new DurableDelivery.Alerts(
                        duration(alerts, "oldestPending"), alerts.get("failed").intValue()));
    }

    static Map<String, String> excluded(JsonNode node) {
        Map<String, String> reasons = new HashMap<>();
        node.get("excluded")
                .forEach(entry -> reasons.put(
                        entry.get("type").asText(), entry.get("reason").asText()));
        return reasons;
    }

    private static Map<String, String> strings(@Nullable JsonNode node) {
        Map<String, String> strings = new HashMap<>();
        if (node != null) {
            node.properties()
                    .forEach(entry ->
                            strings.put(entry.getKey(), entry.getValue().asText()));
        }
        return strings;
    }

    private static Duration duration(JsonNode node, String field) {
        return HumanDuration.parse(node.get(field).asText());
    }

    private static @Nullable String textOrNull(JsonNode node, String field) {
        JsonNode value = node.get(field);
        return value == null || value.isNull() ? null : value.asText();
    }

    private static String constant(String wireName) {
        return wireName.toUpperCase(Locale.ROOT).replace('-', '_');
    }
}

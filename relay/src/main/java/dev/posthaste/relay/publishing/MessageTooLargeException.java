package dev.posthaste.relay.publishing;

import java.util.UUID;

import org.apache.kafka.common.KafkaException;

/** A message is larger than a topic takes: no outage, and no retry will help. Nothing of its batch was published. */
public final class MessageTooLargeException extends KafkaException {

    private static final long serialVersionUID = 1L;

    /** Names the message, its size with key and headers, and the topic that refused it. */
    public MessageTooLargeException(UUID messageId, int bytes, String topic, Throwable cause) {
        super(
                "message " + messageId + " takes " + bytes + " bytes, more than topic " + topic
                        + " accepts in a record (max.message.bytes)",
                cause);
    }
}

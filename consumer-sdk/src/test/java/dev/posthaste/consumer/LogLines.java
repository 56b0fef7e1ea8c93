package dev.posthaste.consumer;

import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.slf4j.LoggerFactory;

/** What the SDK logs while it is open. */
final class LogLines implements AutoCloseable {

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.posthaste.consumer");
    private final ListAppender<ILoggingEvent> events = new ListAppender<>();

    LogLines() {
        events.start();
        logger.addAppender(events);
    }

    List<String> at(Level level) {
        return List.copyOf(events.list).stream()
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(events);
    }
}

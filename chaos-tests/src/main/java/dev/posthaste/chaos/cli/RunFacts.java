package dev.posthaste.chaos.cli;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import com.sun.management.OperatingSystemMXBean;

/** What a report says of a run as a whole. */
final class RunFacts {

    private static final double GIGABYTE = 1L << 30;

    private RunFacts() {}

    /**
     * Facts by name, in their order.
     *
     * @param home the checkout
     */
    static Map<String, String> of(Instant began, String command, Path home) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(
                "Begun",
                DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(
                        began.truncatedTo(ChronoUnit.SECONDS).atZone(ZoneId.systemDefault())));
        facts.put("Command", command);
        CheckedOut.commit(home).ifPresent(commit -> facts.put("Commit checked out", commit));
        facts.put("Machine", machine());
        return facts;
    }

    private static String machine() {
        String machine = System.getProperty("os.name") + " " + System.getProperty("os.version") + " ("
                + System.getProperty("os.arch") + "), "
                + Runtime.getRuntime().availableProcessors() + " processors";
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return system == null
                ? machine
                : machine + String.format(Locale.ROOT, ", %.1f GB of memory", system.getTotalMemorySize() / GIGABYTE);
    }
}

package dev.posthaste.relay;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * How long ago the oldest WAL was written that a slot has not acknowledged, from the places the server was seen to
 * write at. WAL from before the first look counts from that look. Not thread-safe.
 */
final class SlotAge {

    /** When full, every second sample goes: what is old is told less exactly. */
    private static final int SAMPLES_MAX = 512;

    private record Sample(long nanos, long written) {}

    private final Deque<Sample> samples = new ArrayDeque<>();

    /**
     * Takes a look.
     *
     * @param now by a clock that only goes forward
     * @param written where the server writes
     * @param acknowledged how far the slot has come
     * @return 0: it has acknowledged everything
     */
    double seconds(long now, long written, long acknowledged) {
        // The youngest sample that is acknowledged stays: what follows it was written after it was taken.
        while (samples.size() > 1 && second().written() <= acknowledged) {
            samples.removeFirst();
        }
        samples.addLast(new Sample(now, written));
        if (samples.size() > SAMPLES_MAX) {
            thin();
        }
        return written <= acknowledged ? 0 : (now - samples.getFirst().nanos()) / 1e9;
    }

    private Sample second() {
        var each = samples.iterator();
        each.next();
        return each.next();
    }

    private void thin() {
        List<Sample> all = new ArrayList<>(samples);
        samples.clear();
        for (int i = 0; i < all.size(); i++) {
            if (i % 2 == 0 || i == all.size() - 1) {
                samples.addLast(all.get(i));
            }
        }
    }
}

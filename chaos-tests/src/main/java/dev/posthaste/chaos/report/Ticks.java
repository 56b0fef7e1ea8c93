package dev.posthaste.chaos.report;

import java.util.ArrayList;
import java.util.List;

/** Round places on an axis. */
final class Ticks {

    private static final double[] ROUND = {1, 2, 2.5, 5, 10};
    private static final long[] MILLIS = {
        100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000
    };
    private static final int VALUES = 4;
    private static final int TIMES_MAX = 12;

    private Ticks() {}

    /** From 0 up to at least that, in even steps of 1 or more; the last is the top of the axis. */
    static List<Double> values(double max) {
        double step = roundStep(Math.max(VALUES, max) / VALUES);
        List<Double> ticks = new ArrayList<>();
        for (int i = 0; i <= VALUES; i++) {
            ticks.add(i * step);
        }
        return ticks;
    }

    private static double roundStep(double least) {
        double power = Math.pow(10, Math.floor(Math.log10(least)));
        for (double round : ROUND) {
            if (round * power >= least) {
                return round * power;
            }
        }
        return 10 * power;
    }

    /** From 0 up to that, at most {@value #TIMES_MAX} steps. */
    static List<Long> times(long durationMillis) {
        long step = (durationMillis + TIMES_MAX - 1) / TIMES_MAX;
        for (long round : MILLIS) {
            if (round * TIMES_MAX >= durationMillis) {
                step = round;
                break;
            }
        }
        List<Long> ticks = new ArrayList<>();
        for (long at = 0; at <= durationMillis; at += step) {
            ticks.add(at);
        }
        return ticks;
    }
}

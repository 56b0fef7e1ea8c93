package dev.posthaste.chaos.report;

import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongToDoubleFunction;

/** Paths of curves. */
final class Curves {

    private Curves() {}

    /** Throughput as steps, each as wide as its bucket: also a single one is seen. */
    static String steps(Timeline timeline, Series series, LongToDoubleFunction x, DoubleUnaryOperator y) {
        StringBuilder path = new StringBuilder();
        List<Timeline.Bucket> buckets = timeline.buckets();
        for (int i = 0; i < buckets.size(); i++) {
            double height = y.applyAsDouble(series.perSecond(timeline, buckets.get(i)));
            long from = i * timeline.bucketMillis();
            long until = Math.min(from + timeline.bucketMillis(), timeline.durationMillis());
            path.append(path.length() == 0 ? "M" : "L").append(point(x.applyAsDouble(from), height));
            path.append("L").append(point(x.applyAsDouble(until), height));
        }
        return path.toString();
    }

    /** The same as an area down to the axis. */
    static String area(Timeline timeline, Series series, LongToDoubleFunction x, DoubleUnaryOperator y) {
        double bottom = y.applyAsDouble(0);
        return "M" + point(x.applyAsDouble(0), bottom)
                + "L" + steps(timeline, series, x, y).substring(1)
                + "L" + point(x.applyAsDouble(timeline.durationMillis()), bottom) + "Z";
    }

    /** The backlog, interrupted where it could not be told. */
    static String backlog(List<Timeline.Backlog> samples, LongToDoubleFunction x, DoubleUnaryOperator y) {
        StringBuilder path = new StringBuilder();
        boolean begun = false;
        for (Timeline.Backlog sample : samples) {
            Long pending = sample.pending();
            if (pending != null) {
                String point = point(x.applyAsDouble(sample.atMillis()), y.applyAsDouble(pending));
                // A short dash at its start, so that a lone sample is seen.
                path.append(begun ? "L" + point : "M" + point + "h0.1L" + point);
            }
            begun = pending != null;
        }
        return path.toString();
    }

    private static String point(double x, double y) {
        return Xml.number(x) + " " + Xml.number(y);
    }
}

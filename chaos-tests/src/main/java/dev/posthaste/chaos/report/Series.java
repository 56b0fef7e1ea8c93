package dev.posthaste.chaos.report;

import java.util.Locale;
import java.util.function.ToLongFunction;

/** A curve of throughput. */
enum Series {
    COMMITTED(Timeline.Bucket::committed),
    PUBLISHED(Timeline.Bucket::published),
    EFFECTS(Timeline.Bucket::effects);

    private final ToLongFunction<Timeline.Bucket> count;

    Series(ToLongFunction<Timeline.Bucket> count) {
        this.count = count;
    }

    String cssClass() {
        return name().toLowerCase(Locale.ROOT);
    }

    double perSecond(Timeline timeline, Timeline.Bucket bucket) {
        return timeline.perSecond(count.applyAsLong(bucket));
    }

    double peak(Timeline timeline) {
        return timeline.buckets().stream()
                .mapToDouble(bucket -> perSecond(timeline, bucket))
                .max()
                .orElse(0);
    }
}

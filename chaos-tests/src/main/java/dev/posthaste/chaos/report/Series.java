package dev.posthaste.chaos.report;

import java.util.Locale;

/** A curve of throughput. */
enum Series {
    COMMITTED,
    PUBLISHED,
    EFFECTS;

    String cssClass() {
        return name().toLowerCase(Locale.ROOT);
    }

    double perSecond(Timeline timeline, Timeline.Bucket bucket) {
        return timeline.perSecond(
                switch (this) {
                    case COMMITTED -> bucket.committed();
                    case PUBLISHED -> bucket.published();
                    case EFFECTS -> bucket.effects();
                });
    }

    double peak(Timeline timeline) {
        return timeline.buckets().stream()
                .mapToDouble(bucket -> perSecond(timeline, bucket))
                .max()
                .orElse(0);
    }
}

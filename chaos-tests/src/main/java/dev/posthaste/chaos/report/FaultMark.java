package dev.posthaste.chaos.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongToDoubleFunction;

import org.jspecify.annotations.Nullable;

/**
 * Where a fault stands in the picture. Its name stands in the table below, under its number: names would overlap.
 *
 * @param number from 1
 * @param row of its number, from the top; null: there is no room, and its line stands alone
 */
record FaultMark(
        int number, FaultLine fault, double x, @Nullable Integer row) {

    /** So many rows of numbers at most. */
    static final int ROWS_MAX = 4;

    private static final double GAP = 2;

    /** Places them so that no number covers another. */
    static List<FaultMark> place(List<FaultLine> faults, LongToDoubleFunction x) {
        List<FaultMark> marks = new ArrayList<>();
        double[] free = new double[ROWS_MAX];
        for (int i = 0; i < faults.size(); i++) {
            double at = x.applyAsDouble(faults.get(i).atMillis());
            double half = width(i + 1) / 2;
            Integer row = null;
            for (int candidate = 0; candidate < ROWS_MAX && row == null; candidate++) {
                row = free[candidate] <= at - half ? candidate : null;
            }
            if (row != null) {
                free[row] = at + half + GAP;
            }
            marks.add(new FaultMark(i + 1, faults.get(i), at, row));
        }
        return marks;
    }

    double width() {
        return width(number);
    }

    private static double width(int number) {
        return 9 + 7 * String.valueOf(number).length();
    }
}

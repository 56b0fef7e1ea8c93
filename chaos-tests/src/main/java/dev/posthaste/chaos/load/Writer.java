package dev.posthaste.chaos.load;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

import dev.posthaste.chaos.history.Entry.Result;
import dev.posthaste.chaos.history.HistoryWriter;

/** Makes transactions on a connection of its own until it is told to stop. Used by one thread. */
final class Writer implements AutoCloseable {

    private final Planner planner;
    private final MessageMaker maker;
    private final HistoryWriter history;
    private final AtomicLong transactions;
    private final StopSignal stop;
    private final Session session;

    /**
     * Makes one.
     *
     * @param number tells its random choices from those of others
     * @param transactions numbers the transactions of all writers
     */
    Writer(LoadSettings settings, int number, HistoryWriter history, AtomicLong transactions, StopSignal stop) {
        Random random = new Random(new SplittableRandom(settings.seed() * 31 + number).nextLong());
        this.planner = new Planner(settings, random);
        this.maker = new MessageMaker(random);
        this.history = history;
        this.transactions = transactions;
        this.stop = stop;
        this.session = new Session(settings, stop);
    }

    /** The many transactions, at a pace. */
    void writeMany(Pace pace) {
        while (!stop.isGiven()) {
            Plan plan = planner.next();
            pace.await(plan.messages().size(), stop);
            if (!stop.isGiven()) {
                run(plan);
            }
        }
    }

    /** The extra transaction with very many messages, again until one is confirmed. */
    void writeHuge() {
        while (!stop.isGiven() && !run(planner.huge())) {
            // another one
        }
    }

    /** The extra transaction that stays open, again until one is confirmed. */
    void writeOpen() {
        while (!stop.isGiven() && !run(planner.open())) {
            // another one
        }
    }

    /** Returns whether it was confirmed that it is committed. */
    private boolean run(Plan plan) {
        Connection connection;
        try {
            connection = session.connection();
        } catch (SQLException e) {
            session.failed(e);
            return false;
        }
        LoadTransaction.Ended ended =
                new LoadTransaction(transactions.incrementAndGet(), plan, maker, history, stop).run(connection);
        if (ended.failure() == null) {
            session.succeeded();
        } else {
            session.failed(ended.failure());
        }
        return ended.result() == Result.COMMITTED;
    }

    @Override
    public void close() {
        session.close();
    }
}

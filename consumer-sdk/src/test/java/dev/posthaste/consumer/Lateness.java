package dev.posthaste.consumer;

import java.sql.SQLException;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Tells by the database's own clock when each retry was due and when it was run. */
final class Lateness {

    private final Scene scene;

    private Lateness(Scene scene) {
        this.scene = scene;
    }

    /** Writes down every retry from now on, in the transaction that runs it. */
    static Lateness watch(Scene scene) throws SQLException {
        scene.execute("""
                CREATE TABLE retried (handler text, message_id uuid, attempt int, due timestamptz,
                                      run timestamptz DEFAULT clock_timestamp());
                CREATE FUNCTION write_retried() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    INSERT INTO retried (handler, message_id, attempt, due)
                    VALUES (NEW.handler, NEW.message_id, NEW.attempt, OLD.next_attempt);
                    RETURN NEW;
                END $$;
                CREATE TRIGGER watched AFTER UPDATE ON inbox.delivery FOR EACH ROW
                    WHEN (OLD.state = 'failed' AND NEW.attempt > OLD.attempt) EXECUTE FUNCTION write_retried()""");
        return new Lateness(scene);
    }

    int retries() {
        return Integer.parseInt(scene.query("SELECT count(*) FROM retried").get(0));
    }

    void requireNoneEarly() {
        assertThat(scene.query("SELECT handler || ' ' || message_id || ' was due at ' || due || ' and run at ' || run"
                        + " FROM retried WHERE run < due"))
                .as("retries that were early")
                .isEmpty();
    }

    /** Prints how late they were, in milliseconds. */
    void print(String what) {
        List<String> figures = scene.query("""
                SELECT format('%s: %s retries; late by: median %s ms, 99th percentile %s ms, at most %s ms',
                              coalesce(handler, 'in all'), count(*),
                              round(percentile_cont(0.5) WITHIN GROUP (ORDER BY late)),
                              round(percentile_cont(0.99) WITHIN GROUP (ORDER BY late)), round(max(late)))
                FROM (SELECT handler, extract(epoch FROM run - due)::float8 * 1000 AS late FROM retried) AS r
                GROUP BY ROLLUP (handler)""");
        System.out.println(what + ": " + String.join("; ", figures));
    }

    /** Prints of the latest ones how many processes were killed while they were due. */
    void printKills() {
        System.out.println("the latest: " + String.join("; ", scene.query("""
                SELECT format('%s, %s ms, %s kills meanwhile', handler, round(extract(epoch FROM run - due) * 1000),
                              (SELECT count(*) FROM killed WHERE at BETWEEN due AND run))
                FROM retried ORDER BY run - due DESC LIMIT 5""")));
    }
}

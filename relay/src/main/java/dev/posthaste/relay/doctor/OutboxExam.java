package dev.posthaste.relay.doctor;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The outbox's tables, its publication, its partitions, and the rights of the role that runs the relay. */
final class OutboxExam {

    private static final Set<String> PUBLISHED = Set.of(
            "id",
            "kind",
            "type",
            "schema_version",
            "key",
            "tenant",
            "occurred_at",
            "content_type",
            "payload",
            "payload_bytes",
            "headers",
            "created_at");

    private static final int PARTITIONS_AHEAD_MIN = 2;

    private final Query query;
    private final String publication;

    OutboxExam(Query query, String publication) {
        this.query = query;
        this.publication = publication;
    }

    List<Finding> examine() throws SQLException {
        List<Finding> findings = new ArrayList<>();
        if (query.text("SELECT to_regclass('outbox.message')::text") == null) {
            findings.add(Finding.error(
                    "outbox.message",
                    "there is no such table, or the role may not see it",
                    "there is nothing to relay",
                    "run posthaste init, and GRANT posthaste_relay TO the relay's role"));
            return findings;
        }
        findings.addAll(publication());
        findings.add(partitionsAhead());
        findings.addAll(rights());
        if (query.isTrue("SELECT has_table_privilege('outbox.message_default', 'SELECT')")) {
            findings.add(defaultPartition());
        }
        return findings;
    }

    private List<Finding> publication() throws SQLException {
        String remedy = "DROP PUBLICATION " + publication + ", then make it as V001__outbox.sql does";
        String kinds = query.text(
                "SELECT concat_ws(' ', CASE WHEN pubinsert THEN 'insert' END, CASE WHEN pubupdate THEN 'update' END, "
                        + "CASE WHEN pubdelete THEN 'delete' END, CASE WHEN pubtruncate THEN 'truncate' END) || ' / ' || pubviaroot "
                        + "FROM pg_publication WHERE pubname = ?",
                publication);
        if (kinds == null) {
            return List.of(Finding.error(
                    "publication",
                    publication + " does not exist",
                    "the slot would deliver nothing",
                    "run posthaste init"));
        }
        List<Finding> findings = new ArrayList<>();
        findings.add(
                kinds.equals("insert / true")
                        ? Finding.ok("publication", publication + ": inserts, through the root")
                        : Finding.error(
                                "publication",
                                publication + " publishes " + kinds + " (kinds / via root)",
                                "the relay expects inserts only, under the name of the partitioned table",
                                remedy));
        Set<String> columns = new TreeSet<>(query.column(
                "SELECT unnest(attnames) FROM pg_publication_tables WHERE pubname = ? AND schemaname = 'outbox' AND tablename = 'message'",
                publication));
        findings.add(
                columns.equals(PUBLISHED)
                        ? Finding.ok("publication.columns", columns.size() + " columns")
                        : Finding.error(
                                "publication.columns",
                                "of outbox.message it publishes " + columns,
                                "a missing column cannot be relayed, a further one costs decoding time",
                                remedy));
        return findings;
    }

    private Finding partitionsAhead() throws SQLException {
        int ahead = Integer.parseInt(
                String.valueOf(
                        query.text(
                                "SELECT count(*) FROM generate_series(1, 7) day "
                                        + "WHERE to_regclass('outbox.message_' || to_char((now() AT TIME ZONE 'UTC')::date + day::int, 'YYYYMMDD')) IS NOT NULL")));
        return ahead >= PARTITIONS_AHEAD_MIN
                ? Finding.ok("outbox.partitions", ahead + " days ahead")
                : Finding.warning(
                        "outbox.partitions",
                        ahead + " days ahead",
                        "rows without a daily partition land in message_default, and are moved later",
                        "SELECT outbox.ensure_partitions(); the leading relay does so every hour");
    }

    private Finding defaultPartition() throws SQLException {
        return query.text("SELECT 1 FROM outbox.message_default LIMIT 1") == null
                ? Finding.ok("outbox.message_default", "empty")
                : Finding.warning(
                        "outbox.message_default",
                        "holds rows",
                        "daily partitions were missing when they came, or their clock is wrong",
                        "SELECT outbox.ensure_partitions()");
    }

    private List<Finding> rights() throws SQLException {
        List<Finding> findings = new ArrayList<>();
        String role = query.text("SELECT current_user");
        findings.add(
                query.isTrue("SELECT rolreplication OR rolsuper FROM pg_roles WHERE rolname = current_user")
                        ? Finding.ok("role.replication", role + " may stream")
                        : Finding.error(
                                "role.replication",
                                role + " lacks the attribute REPLICATION",
                                "it cannot stream from the slot",
                                "ALTER ROLE " + role + " REPLICATION"));
        List<String> missing = query.column("SELECT what FROM (VALUES "
                + "('SELECT on outbox.message', has_table_privilege('outbox.message', 'SELECT')), "
                + "('INSERT on outbox.dispatch_batch', has_table_privilege('outbox.dispatch_batch', 'INSERT')), "
                + "('UPDATE on outbox.settled', has_table_privilege('outbox.settled', 'UPDATE')), "
                + "('UPDATE on relay.lease', has_table_privilege('relay.lease', 'UPDATE')), "
                + "('SELECT on relay.source', has_table_privilege('relay.source', 'SELECT')), "
                + "('EXECUTE on outbox.ensure_partitions', has_function_privilege('outbox.ensure_partitions(integer)', 'EXECUTE'))) "
                + "AS needed (what, held) WHERE NOT held");
        findings.add(
                missing.isEmpty()
                        ? Finding.ok("role.grants", role + " holds all it needs")
                        : Finding.error(
                                "role.grants",
                                role + " lacks " + String.join(", ", missing),
                                "the relay cannot lead",
                                "GRANT posthaste_relay TO " + role));
        findings.add(
                query.isTrue("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
                        ? Finding.warning(
                                "role.superuser",
                                role + " is a superuser",
                                "a relay needs no such power",
                                "CREATE ROLE … LOGIN REPLICATION IN ROLE posthaste_relay, and let the relay log in as it")
                        : Finding.ok("role.superuser", role + " is none"));
        return findings;
    }
}

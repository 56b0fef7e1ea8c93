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
        if (query.isTrue(STRANGER)) {
            String role = query.text("SELECT current_user");
            findings.add(Finding.error(
                    "role",
                    role + " is not a relay's role: it is no member of posthaste_relay",
                    "what it may and may not do says nothing of the relay, and it could not run one",
                    "log in as the relay's role (database.url, POSTHASTE_DATABASE_URL or --database); if " + role
                            + " is to be it: GRANT posthaste_relay TO " + role + "; ALTER ROLE " + role
                            + " REPLICATION"));
            return findings;
        }
        if (query.text("SELECT to_regclass('outbox.message')::text") == null) {
            findings.add(Finding.error(
                    "outbox.message",
                    "there is no such table, or the role may not see it",
                    "there is nothing to relay",
                    "run posthaste init, and GRANT posthaste_relay TO the relay's role"));
            return findings;
        }
        if (query.text("SELECT to_regclass('relay.topic')::text") == null) {
            findings.add(Finding.error(
                    "outbox.version",
                    "the tables are of an older version",
                    "this relay reads and writes what they lack",
                    "run posthaste init"));
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

    /** Before the migrations there is no such group. */
    private static final String STRANGER =
            "SELECT CASE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = 'posthaste_relay') "
                    + "THEN NOT pg_has_role('posthaste_relay', 'USAGE') ELSE false END";

    /** What each right is for is told by its object; all come with posthaste_relay. */
    private static final String RIGHTS = "SELECT what FROM (VALUES "
            + "('SELECT on outbox.message', has_table_privilege('outbox.message', 'SELECT')), "
            + "('INSERT on outbox.dispatch_batch', has_table_privilege('outbox.dispatch_batch', 'INSERT')), "
            + "('INSERT on outbox.quarantined', has_table_privilege('outbox.quarantined', 'INSERT')), "
            + "('UPDATE on outbox.quarantined', has_table_privilege('outbox.quarantined', 'UPDATE')), "
            + "('INSERT on outbox.audit', has_table_privilege('outbox.audit', 'INSERT')), "
            + "('UPDATE on outbox.settled', has_table_privilege('outbox.settled', 'UPDATE')), "
            + "('INSERT on relay.lease', has_table_privilege('relay.lease', 'INSERT')), "
            + "('UPDATE on relay.lease', has_table_privilege('relay.lease', 'UPDATE')), "
            + "('SELECT on relay.source', has_table_privilege('relay.source', 'SELECT')), "
            + "('INSERT on relay.topic', has_table_privilege('relay.topic', 'INSERT')), "
            + "('EXECUTE on outbox.pending_by_type', has_function_privilege('outbox.pending_by_type()', 'EXECUTE')), "
            + "('EXECUTE on outbox.advance_settled', has_function_privilege('outbox.advance_settled()', 'EXECUTE')), "
            + "('EXECUTE on outbox.ensure_partitions', has_function_privilege('outbox.ensure_partitions(integer)', 'EXECUTE'))) "
            + "AS needed (what, held) WHERE NOT held";

    private List<Finding> rights() throws SQLException {
        String role = query.text("SELECT current_user");
        List<Finding> findings = new ArrayList<>();
        findings.add(
                query.isTrue("SELECT rolreplication OR rolsuper FROM pg_roles WHERE rolname = current_user")
                        ? Finding.ok("role.replication", role + " may stream")
                        : Finding.error(
                                "role.replication",
                                role + " lacks the attribute REPLICATION, which membership does not give",
                                "it cannot stream from the slot",
                                "ALTER ROLE " + role + " REPLICATION"));
        List<String> missing = query.column(RIGHTS);
        findings.add(
                missing.isEmpty()
                        ? Finding.ok("role.grants", role + " holds all it needs")
                        : Finding.error(
                                "role.grants",
                                role + " lacks " + String.join(", ", missing),
                                "the relay cannot lead",
                                "GRANT posthaste_relay TO " + role
                                        + "; where it is a member, run posthaste init: the group's grants are incomplete"));
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

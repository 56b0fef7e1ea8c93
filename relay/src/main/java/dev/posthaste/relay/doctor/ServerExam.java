package dev.posthaste.relay.doctor;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The PostgreSQL server itself. */
final class ServerExam {

    private static final int VERSION_MIN = 180_000;

    private final Query query;

    ServerExam(Query query) {
        this.query = query;
    }

    List<Finding> examine() throws SQLException {
        List<Finding> findings = new ArrayList<>();
        findings.add(version());
        findings.add(walLevel());
        findings.add(writable());
        findings.add(
                durability("fsync", "a crash of the server may lose committed messages, or keep rolled back ones"));
        findings.add(durability("full_page_writes", "a crash of the server may leave torn pages"));
        findings.add(encoding());
        findings.add(slotWalLimit());
        findings.add(senderTimeout());
        return findings;
    }

    private Finding version() throws SQLException {
        int number = Integer.parseInt(query.setting("server_version_num"));
        String text = "PostgreSQL " + query.setting("server_version");
        return number >= VERSION_MIN
                ? Finding.ok("server.version", text)
                : Finding.error(
                        "server.version",
                        text,
                        "the migrations use uuidv7() and failover slots, which 18 has",
                        "upgrade to PostgreSQL 18 or newer");
    }

    private Finding walLevel() throws SQLException {
        String level = query.setting("wal_level");
        return level.equals("logical")
                ? Finding.ok("server.wal_level", level)
                : Finding.error(
                        "server.wal_level",
                        level,
                        "only logical WAL can be decoded",
                        "ALTER SYSTEM SET wal_level = logical; then restart the server");
    }

    private Finding writable() throws SQLException {
        return query.setting("transaction_read_only").equals("off")
                ? Finding.ok("server.writable", "yes")
                : Finding.error(
                        "server.writable",
                        "transactions are read-only: a standby, or default_transaction_read_only is on",
                        "neither evidence nor the lease can be written",
                        "point database.url at the primary, or ALTER SYSTEM RESET default_transaction_read_only; SELECT pg_reload_conf()");
    }

    private Finding durability(String setting, String why) throws SQLException {
        String value = query.setting(setting);
        return value.equals("on")
                ? Finding.ok("server." + setting, value)
                : Finding.error(
                        "server." + setting,
                        value,
                        why,
                        "ALTER SYSTEM SET " + setting + " = on; SELECT pg_reload_conf()");
    }

    private Finding encoding() throws SQLException {
        String encoding = query.setting("server_encoding");
        return encoding.equals("UTF8")
                ? Finding.ok("database.encoding", encoding)
                : Finding.error(
                        "database.encoding",
                        encoding,
                        "payloads reach the topics as UTF-8; another encoding would change their bytes",
                        "keep the outbox in a database made with ENCODING 'UTF8'");
    }

    private Finding slotWalLimit() throws SQLException {
        String limit = query.setting("max_slot_wal_keep_size");
        return limit.equals("-1")
                ? Finding.warning(
                        "server.max_slot_wal_keep_size",
                        "unlimited",
                        "while no relay runs, the slot holds back WAL until the disk is full and the database stops",
                        "ALTER SYSTEM SET max_slot_wal_keep_size = '50GB' (what the disk can spare); beyond it the slot is lost, and repair closes the gap")
                : Finding.ok("server.max_slot_wal_keep_size", limit);
    }

    private Finding senderTimeout() throws SQLException {
        String timeout = query.setting("wal_sender_timeout");
        return timeout.equals("0")
                ? Finding.warning(
                        "server.wal_sender_timeout",
                        "off",
                        "the walsender of a relay that vanished is never ended by the server",
                        "ALTER SYSTEM SET wal_sender_timeout = '60s'; SELECT pg_reload_conf()")
                : Finding.ok("server.wal_sender_timeout", timeout);
    }
}

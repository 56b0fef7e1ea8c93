package dev.posthaste.relay;

import java.sql.Connection;
import java.sql.SQLException;

/** Looks, at the begin of each term, whether everything is there that every batch rests on. */
@FunctionalInterface
public interface Preflight {

    /**
     * Looks.
     *
     * @param control a connection of the relay's role, in auto-commit
     * @throws HaltException with {@link HaltReason.Cause#PREFLIGHT_FAILED}, naming what is not as it must be
     */
    void check(Connection control) throws HaltException, SQLException, InterruptedException;
}

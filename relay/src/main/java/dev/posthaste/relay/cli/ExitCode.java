package dev.posthaste.relay.cli;

/** What the exit codes of {@code posthaste} mean. */
public final class ExitCode {

    /** Done, and all is as it should be. */
    public static final int OK = 0;

    /** Done, but the answer is no: a check failed, a step was refused. */
    public static final int FAILED = 1;

    /** The command line or the settings are wrong; nothing was done. */
    public static final int USAGE = 2;

    /** PostgreSQL or Kafka could not be reached or refused. */
    public static final int STORE_AWAY = 3;

    /** A fault of Posthaste itself. */
    public static final int BUG = 70;

    private ExitCode() {}
}

package dev.posthaste.relay.doctor;

/**
 * What an examination found.
 *
 * @param severity how bad
 * @param subject what was examined, for example {@code slot.plugin}
 * @param what what was found, with the values
 * @param why why it matters; empty for what is as it should be
 * @param remedy what mends it, a command where there is one; empty for what is as it should be
 */
public record Finding(Severity severity, String subject, String what, String why, String remedy) {

    /** How bad a finding is. */
    public enum Severity {
        /** As it should be. */
        OK,
        /** It works, but not as long or not as safely as it could. */
        WARNING,
        /** It does not work, or a promise does not hold. */
        ERROR
    }

    static Finding ok(String subject, String what) {
        return new Finding(Severity.OK, subject, what, "", "");
    }

    static Finding warning(String subject, String what, String why, String remedy) {
        return new Finding(Severity.WARNING, subject, what, why, remedy);
    }

    static Finding error(String subject, String what, String why, String remedy) {
        return new Finding(Severity.ERROR, subject, what, why, remedy);
    }
}

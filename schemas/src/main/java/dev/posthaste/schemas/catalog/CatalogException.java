package dev.posthaste.schemas.catalog;

import java.util.List;

/** A catalog that cannot be used. Its message lists every finding, each with its file and the rule. */
public final class CatalogException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final List<String> findings;

    /** Joins the findings, one a line. */
    public CatalogException(List<String> findings) {
        super("the catalog has " + findings.size() + (findings.size() == 1 ? " fault:" : " faults:") + "\n  "
                + String.join("\n  ", findings));
        this.findings = List.copyOf(findings);
    }

    /** What is wrong, one finding an entry. */
    public List<String> findings() {
        return findings;
    }
}

package dev.posthaste.chaos.report;

import java.util.List;
import java.util.Map;

/** The tables of a report. */
final class Tables {

    private static final String NONE = "–";

    private Tables() {}

    static Table versions(Map<String, String> versions) {
        Table table = new Table().words("Of", "Version");
        versions.forEach((name, version) -> table.row(Text.of(name), Text.of(version)));
        return table;
    }

    static Table facts(Map<String, String> facts) {
        Table table = new Table().words("Of this run", "");
        facts.forEach((name, fact) -> table.row(Text.of(name), Text.of(fact)));
        return table;
    }

    static Table judged(List<Judged> all) {
        Table table = new Table().words("Code", "What must hold").figures("Looked at", "Violations");
        for (Judged judged : all) {
            boolean looked = judged.looked() > 0;
            table.row(
                    Text.of(judged.title()),
                    Text.of(judged.sentence().isEmpty() ? NONE : judged.sentence()),
                    looked ? Text.of(Figures.count(judged.looked())) : Text.of(NONE),
                    violations(judged));
        }
        return table;
    }

    private static Text violations(Judged judged) {
        if (judged.violations() > 0) {
            return Text.of(Figures.count(judged.violations()), Tone.BAD);
        }
        return judged.looked() > 0 ? Text.of("kept", Tone.GOOD) : Text.of("not judged", Tone.MUTED);
    }

    static Table scenarios(List<ScenarioReport> reports) {
        Table table = new Table()
                .words("Scenario", "Outcome")
                .figures("Messages committed", "Recovery", "Duration", "Faults fired");
        for (int i = 0; i < reports.size(); i++) {
            ScenarioReport report = reports.get(i);
            Text scenario = new Text(report.scenario(), Tone.PLAIN, HtmlPage.anchor(i + 1));
            Text outcome = Text.of(report.outcome().words(), report.outcome().tone());
            boolean ran = report.outcome() != Outcome.NOT_RUN;
            table.row(
                    scenario,
                    outcome,
                    ran ? Text.of(Figures.count(report.totals().committed())) : Text.of(NONE),
                    ran ? recovery(report) : Text.of(NONE),
                    ran ? Text.of(Figures.duration(report.took())) : Text.of(NONE),
                    ran ? fired(report) : Text.of(NONE));
        }
        return table;
    }

    private static Text fired(ScenarioReport report) {
        long fired = report.faultsFired();
        int all = report.faults().size();
        return Text.of(fired + " of " + all, fired < all ? Tone.BAD : Tone.PLAIN);
    }

    private static Text recovery(ScenarioReport report) {
        if (report.recoveryMillis() != null) {
            return Text.of(Figures.duration(report.recoveryMillis()));
        }
        return report.timeline().recovery() == null ? Text.of(NONE) : Text.of("none", Tone.BAD);
    }

    /** Of those that recovered, or should have. */
    static Table recoveries(List<ScenarioReport> reports) {
        Table table = new Table().words("Scenario").figures("Recovery", "Bound");
        for (ScenarioReport report : reports) {
            Timeline.Recovery recovery = report.timeline().recovery();
            if (report.recoveryMillis() != null || recovery != null) {
                Long bound = recovery == null ? null : recovery.boundMillis();
                table.row(
                        Text.of(report.scenario()),
                        recovery(report),
                        Text.of(bound == null ? NONE : Figures.duration(bound)));
            }
        }
        return table;
    }

    static Table faults(List<FaultLine> faults) {
        Table table = new Table().figures("No.", "At").words("What was done", "Took effect", "Evidence");
        for (int i = 0; i < faults.size(); i++) {
            FaultLine fault = faults.get(i);
            table.row(
                    Text.of(String.valueOf(i + 1)),
                    Text.of(Figures.offset(fault.atMillis())),
                    Text.of(fault.name()),
                    fault.fired() ? Text.of("yes") : Text.of("no", Tone.BAD),
                    Text.of(fault.evidence()));
        }
        return table;
    }
}

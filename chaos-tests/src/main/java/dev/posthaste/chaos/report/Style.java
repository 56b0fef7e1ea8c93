package dev.posthaste.chaos.report;

/** How the page looks, in light and in dark. */
final class Style {

    /** Has nothing to escape, as neither HTML nor XML has it escaped the same way. */
    static final String CSS = """
            :root {
              color-scheme: light dark;
              --paper: #ffffff; --ink: #1f2933; --soft: #5b6673; --rule: #d5dbe1; --shade: #f4f6f8;
              --good: #1a7f37; --bad: #c62828;
              --committed: #2563c9; --published: #c2570c; --effects: #7a3fc4; --backlog: #4b5563;
              --fault: #f9dcdc; --heal: #dcf0df; --drain: #e3eaf6; --steady: #f7f8fa;
            }
            @media (prefers-color-scheme: dark) {
              :root {
                --paper: #14181d; --ink: #e4e8ec; --soft: #9aa5b1; --rule: #3a434d; --shade: #1d232a;
                --good: #5fcf80; --bad: #ff7b72;
                --committed: #74a7ff; --published: #ffa657; --effects: #c79bff; --backlog: #b4bcc6;
                --fault: #45252a; --heal: #1f3a28; --drain: #222e42; --steady: #1b2026;
              }
            }
            body { background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
              max-width: 72rem; margin: 2rem auto; padding: 0 1.5rem; overflow-wrap: anywhere; }
            h1 { font-size: 1.5rem; }
            h2 { font-size: 1.2rem; margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
            h3 { font-size: 1rem; margin-bottom: .3rem; }
            a { color: inherit; }
            table { border-collapse: collapse; margin: .5rem 0 1rem; }
            th, td { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0;
              border-bottom: 1px solid var(--rule); }
            th { color: var(--soft); font-weight: 600; }
            .figures { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
            pre { background: var(--shade); padding: .6rem .8rem; overflow-x: auto; overflow-wrap: normal; }
            .good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; } .muted { color: var(--soft); }
            svg { display: block; width: 100%; height: auto; margin: 1rem 0; font: 11px system-ui, sans-serif; }
            svg text { fill: var(--ink); }
            .note text { paint-order: stroke; stroke: var(--paper); stroke-width: 5; stroke-linejoin: round; }
            .phase.steady rect, .phase.other rect { fill: var(--steady); }
            .phase.fault rect { fill: var(--fault); }
            .phase.heal rect { fill: var(--heal); }
            .phase.drain rect { fill: var(--drain); }
            .grid { stroke: var(--rule); }
            .curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
            .committed { stroke: var(--committed); }
            .published { stroke: var(--published); }
            .effects { stroke: var(--effects); stroke-dasharray: 1 4; }
            .backlog { stroke: var(--backlog); stroke-dasharray: 7 4; }
            .area { fill: var(--committed); fill-opacity: .16; }
            .mark line { stroke: var(--ink); stroke-width: 1.4; }
            .mark.unfired line { stroke: var(--bad); stroke-dasharray: 3 4; }
            .number rect { fill: var(--ink); }
            .number text { fill: var(--paper); font-weight: 600; }
            .number.unfired rect { fill: var(--paper); stroke: var(--bad); stroke-dasharray: 3 2; }
            .number.unfired text { fill: var(--bad); }
            .recovery .bar { fill: var(--good); }
            .recovery .span { fill: var(--good); fill-opacity: .18; }
            .recovery.missing .bar, .recovery.missing .span { fill: var(--bad); }
            .recovery.missing .span { fill-opacity: .08; }
            .recovery.missing text { fill: var(--bad); font-weight: 600; }
            """;

    private Style() {}
}

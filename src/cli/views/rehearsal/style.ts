/** Colours differ in lightness as well, and every bar says in words what it is. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1c2128;--paper:#fff;--soft:#57606a;--line:#d0d7de;--good:#8fd19e;--tight:#f0c36d;--lost:#d1242f;--away:#5b7fb8;--on:#10151c}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--soft:#9aa4af;--line:#30363d;--good:#3f8f55;--tight:#b98a2c;--lost:#ff7b72;--away:#6e95d6;--on:#fff}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1rem}
h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}
.facts{list-style:none;padding:.8rem 1rem;border-left:.3rem solid;margin:0}
.facts.good{border-color:var(--good)}.facts.bad{border-color:var(--lost)}
.scroll{overflow-x:auto}
svg{display:block;width:100%;height:auto}.narrow{display:none}
svg text{fill:var(--ink);font:13px system-ui,sans-serif}
svg .name{text-anchor:end}svg .mark{fill:var(--soft);font-size:12px}svg .last{text-anchor:end}
svg .in{text-anchor:middle;fill:var(--on);font-weight:600}
svg line{stroke:var(--line)}
.good{fill:var(--good)}.tight{fill:var(--tight)}.lost{fill:var(--lost)}.away{fill:var(--away)}
details{margin:.3rem 0}summary{cursor:pointer;color:var(--soft)}
table{border-collapse:collapse;font-size:.9rem;width:100%}
th,td{text-align:left;padding:.25rem .6rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td{white-space:nowrap}td.text{white-space:normal;min-width:7rem;overflow-wrap:anywhere}
@media (max-width:36rem){.wide{display:none}.narrow{display:block}td.text{min-width:11rem}
.stack thead{position:absolute;clip-path:inset(50%)}.stack tr{display:flex;flex-wrap:wrap;gap:0 .8rem;padding:.4rem 0;border-bottom:1px solid var(--line)}
.stack td,.stack td.text{min-width:0;border:0;padding:0;white-space:normal;overflow-wrap:anywhere}.stack td:empty{display:none}.stack td::before{content:attr(data-head)' ';color:var(--soft)}}
`.replaceAll('\n', '');

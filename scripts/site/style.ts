export const STYLE = `:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: light-dark(#0550ae, #79b8ff); }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 15rem minmax(0, 1fr); font: 16px/1.55 system-ui, sans-serif; }
nav { padding: 1rem; border-right: 1px solid var(--line); position: sticky; top: 0; height: 100vh; overflow-y: auto; font-size: 0.9rem; }
nav h2 { font-size: 0.75rem; text-transform: uppercase; letter-spacing: 0.05em; margin: 1.2rem 0 0.3rem; opacity: 0.7; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: 0.1rem 0; text-decoration: none; }
nav a[aria-current] { font-weight: 600; }
main { padding: 1rem 2rem 4rem; max-width: 62rem; }
a { color: var(--link); }
img { max-width: 100%; height: auto; }
pre { background: var(--soft); padding: 0.8rem 1rem; overflow-x: auto; border-radius: 6px; font-size: 0.85rem; }
code { font-family: ui-monospace, monospace; font-size: 0.92em; }
:not(pre) > code { background: var(--soft); padding: 0.1em 0.3em; border-radius: 4px; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.92rem; }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line); }
@media (max-width: 50rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem; }
}
`;

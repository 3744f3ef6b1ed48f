/** The pages of docs/ as a static site: one HTML file for each, one style sheet, no script. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { escapeHtml, type Rendered, renderMarkdown } from './markdown.js';
import { STYLE } from './style.js';

interface Page {
  /** `docs/storage.md` */
  readonly source: string;
  /** `storage.html` */
  readonly file: string;
  readonly rendered: Rendered;
}

export interface Site {
  /** File name → content. */
  readonly files: ReadonlyMap<string, string | Buffer>;
  /** Links that lead nowhere: `docs/a.md: b.md#c`. */
  readonly dead: readonly string[];
}

/** In the order of the menu; what is not named here stands at its end. */
const MENU: readonly (readonly [title: string, pages: readonly string[]])[] = [
  ['Start', ['README', 'getting-started', 'coming-from', 'adopt', 'comparison', 'faq']],
  [
    'Use',
    ['config', 'cli', 'changes', 'upgrades', 'hosts', 'kubernetes', 'ci', 'dashboard', 'fleet', 'rehearsal'],
  ],
  ['Data and recovery', ['storage', 'secrets', 'recovery', 'disaster-drill', 'troubleshooting']],
  ['How it works', ['architecture', 'identity', 'talos', 'locking', 'security', 'library', 'glossary']],
  ['Lab', ['lab', 'lab-differences']],
];

export function buildSite(root: string): Site {
  const sources = [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    ...readdirSync(join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ];
  const copied = new Set<string>();
  const target = (source: string) => (href: string) => {
    if (/^(https?:|mailto:|#)/.test(href)) return href;
    const [path = '', anchor] = href.split('#');
    const to = normalize(join(source, '..', path));
    const tail = anchor === undefined ? '' : `#${anchor}`;
    if (sources.includes(to)) return fileOf(to) + tail;
    copied.add(to);
    return to + tail;
  };
  const pages = sources.map((source): Page => {
    const text = readFileSync(join(root, source), 'utf8');
    return { source, file: fileOf(source), rendered: renderMarkdown(text, target(source)) };
  });
  const isFile = (path: string) => existsSync(join(root, path)) && statSync(join(root, path)).isFile();
  const files = new Map<string, string | Buffer>([['style.css', STYLE]]);
  for (const page of pages) files.set(page.file, htmlOf(page, pages));
  for (const path of [...copied].filter(isFile)) files.set(path, readFileSync(join(root, path)));
  return { files, dead: pages.flatMap((page) => deadLinks(page, pages, files, target(page.source))) };
}

function fileOf(source: string): string {
  if (source === 'README.md') return 'index.html';
  return `${source.slice(source.lastIndexOf('/') + 1, -3).toLowerCase()}.html`;
}

function deadLinks(
  { source, file, rendered }: Page,
  pages: readonly Page[],
  files: ReadonlyMap<string, unknown>,
  target: (href: string) => string,
): string[] {
  return rendered.links
    .filter((href) => {
      const to = target(href);
      if (/^(https?:|mailto:)/.test(to)) return false;
      const [path = '', anchor] = to.split('#');
      const name = path === '' ? file : path;
      if (!files.has(name)) return true;
      const page = pages.find((each) => each.file === name);
      return anchor !== undefined && page !== undefined && !page.rendered.anchors.includes(anchor);
    })
    .map((href) => `${source}: ${href}`);
}

function htmlOf({ file, rendered }: Page, pages: readonly Page[]): string {
  const title = rendered.title === 'oxherd' ? 'oxherd' : `${rendered.title} – oxherd`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<nav aria-label="Pages">${menu(pages, file)}</nav>
<main>
${rendered.html}
</main>
</body>
</html>
`;
}

function menu(pages: readonly Page[], current: string): string {
  const named = new Set(MENU.flatMap(([, names]) => names));
  const nameOf = ({ source }: Page) => source.slice(source.lastIndexOf('/') + 1, -3);
  const rest = pages.map(nameOf).filter((name) => !named.has(name));
  return [...MENU, ['More', rest] as const]
    .map(([title, names]) => {
      const links = names.flatMap((name) => {
        const page = pages.find((each) => nameOf(each) === name);
        if (!page) return [];
        const here = page.file === current ? ' aria-current="page"' : '';
        const words = page.file === 'index.html' ? 'Overview' : page.rendered.title;
        return [`<li><a href="${page.file}"${here}>${escapeHtml(words)}</a></li>`];
      });
      return `<h2>${title}</h2><ul>${links.join('')}</ul>`;
    })
    .join('\n');
}

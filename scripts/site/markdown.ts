/** As much of Markdown as docs/ uses: headings, paragraphs, lists, tables, code, quotes, links and pictures. */

export interface Rendered {
  readonly title: string;
  readonly html: string;
  /** Ids of headings, as GitHub names them. */
  readonly anchors: readonly string[];
  /** Where links and pictures lead, as written. */
  readonly links: readonly string[];
}

export type LinkTarget = (href: string) => string;

interface Job {
  readonly lines: readonly string[];
  readonly target: LinkTarget;
  readonly anchors: string[];
  readonly links: string[];
}

export function renderMarkdown(text: string, target: LinkTarget = (href) => href): Rendered {
  const job: Job = { lines: text.replaceAll('\r', '').split('\n'), target, anchors: [], links: [] };
  const html = blocks(job, job.lines);
  const title = /^# (.+)$/m.exec(text)?.[1] ?? '';
  return { title: title.replaceAll('`', ''), html, anchors: job.anchors, links: job.links };
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** A block at the beginning of the lines: its HTML, and how many lines it takes. */
type Block = (
  job: Job,
  lines: readonly string[],
) => { readonly html: string; readonly taken: number } | undefined;

const BLOCKS: readonly Block[] = [blank, fence, heading, indented, quote, table, list, paragraph];

function blocks(job: Job, lines: readonly string[]): string {
  const parts: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const rest = lines.slice(at);
    const block = BLOCKS.reduce<ReturnType<Block>>((found, read) => found ?? read(job, rest), undefined);
    parts.push(block?.html ?? '');
    at += block?.taken ?? 1;
  }
  return parts.filter((part) => part !== '').join('\n');
}

function blank(_job: Job, [line = '']: readonly string[]) {
  return line.trim() === '' ? { html: '', taken: 1 } : undefined;
}

function fence(_job: Job, lines: readonly string[]) {
  const mark = /^(```+)\s*(\w*)/.exec(lines[0] ?? '');
  if (!mark) return undefined;
  const end = lines.findIndex((line, i) => i > 0 && line.startsWith(mark[1] ?? '```'));
  const body = lines.slice(1, end < 0 ? undefined : end);
  return { html: code(body), taken: body.length + 2 };
}

function indented(_job: Job, lines: readonly string[]) {
  const isCode = (line: string) => /^ {4}/.test(line);
  if (!isCode(lines[0] ?? '')) return undefined;
  let taken = 1;
  for (let i = 1; i < lines.length; i += 1) {
    const line = lines[i] ?? '';
    if (isCode(line)) taken = i + 1;
    else if (line.trim() !== '') break;
  }
  return { html: code(lines.slice(0, taken).map((line) => line.slice(4))), taken };
}

function code(lines: readonly string[]): string {
  return `<pre><code>${escapeHtml(lines.join('\n'))}</code></pre>`;
}

function heading(job: Job, [line = '']: readonly string[]) {
  const match = /^(#{1,6}) (.+?)\s*#*$/.exec(line);
  if (!match) return undefined;
  const [, marks = '#', text = ''] = match;
  const id = freeAnchor(job, text);
  job.anchors.push(id);
  const level = marks.length;
  return { html: `<h${level} id="${id}">${inline(job, text)}</h${level}>`, taken: 1 };
}

function freeAnchor({ anchors }: Job, text: string): string {
  const plain = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  const id = plain.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
  if (!anchors.includes(id)) return id;
  let number = 1;
  while (anchors.includes(`${id}-${number}`)) number += 1;
  return `${id}-${number}`;
}

function quote(job: Job, lines: readonly string[]) {
  const taken = lead(lines, (line) => line.startsWith('>'));
  if (taken === 0) return undefined;
  const inner = lines.slice(0, taken).map((line) => line.replace(/^> ?/, ''));
  return { html: `<blockquote>${blocks(job, inner)}</blockquote>`, taken };
}

function lead(lines: readonly string[], holds: (line: string) => boolean): number {
  const end = lines.findIndex((line) => !holds(line));
  return end < 0 ? lines.length : end;
}

function table(job: Job, lines: readonly string[]) {
  if (!lines[0]?.startsWith('|') || !/^\|(\s*:?-+:?\s*\|)+\s*$/.test(lines[1] ?? '')) return undefined;
  const taken = lead(lines, (line) => line.startsWith('|'));
  const row = (line: string, tag: string) =>
    `<tr>${cells(line)
      .map((cell) => `<${tag}>${inline(job, cell)}</${tag}>`)
      .join('')}</tr>`;
  const body = lines.slice(2, taken).map((line) => row(line, 'td'));
  const html = `<div class="table"><table><thead>${row(lines[0], 'th')}</thead><tbody>${body.join('\n')}</tbody></table></div>`;
  return { html, taken };
}

/** A `\|` is no end of a cell. */
function cells(line: string): string[] {
  return line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

const ITEM = /^(\s*)([-*]|\d+\.) +/;

function list(job: Job, lines: readonly string[]) {
  const first = ITEM.exec(lines[0] ?? '');
  if (!first) return undefined;
  const depth = first[1]?.length ?? 0;
  const ordered = /\d/.test(first[2] ?? '');
  const items: string[][] = [];
  let taken = 0;
  for (const line of lines) {
    const item = ITEM.exec(line);
    const indent = /^\s*/.exec(line)?.[0].length ?? 0;
    const isNext = item?.[1]?.length === depth && /\d/.test(item[2] ?? '') === ordered;
    if (isNext) items.push([line.slice(item[0].length)]);
    else if (line.trim() === '') {
      const after = lines.slice(taken + 1).find((each) => each.trim() !== '') ?? '';
      if (!ITEM.test(after) && !/^\s+\S/.test(after)) break;
      items.at(-1)?.push('');
    } else if (indent > depth || !startsBlock(line))
      items.at(-1)?.push(line.slice(Math.min(indent, depth + 2)));
    else break;
    taken += 1;
  }
  const tag = ordered ? 'ol' : 'ul';
  return {
    html: `<${tag}>${items.map((item) => `<li>${itemHtml(job, item)}</li>`).join('\n')}</${tag}>`,
    taken,
  };
}

function itemHtml(job: Job, lines: readonly string[]): string {
  const html = blocks(job, lines);
  const single = /^<p>([\s\S]*?)<\/p>/.exec(html);
  return single && !lines.includes('') ? html.replace(/^<p>([\s\S]*?)<\/p>/, '$1') : html;
}

function startsBlock(line: string): boolean {
  return /^(#{1,6} |```|\||>|\s*([-*]|\d+\.) )/.test(line);
}

function paragraph(job: Job, lines: readonly string[]) {
  const more = lead(lines.slice(1), (line) => line.trim() !== '' && !startsBlock(line));
  const text = lines.slice(0, more + 1).map((line) => line.trim());
  return { html: `<p>${inline(job, text.join(' '))}</p>`, taken: more + 1 };
}

/** What is in code is nothing else; it is put back last, as links may hold code. */
function inline(job: Job, text: string): string {
  const codes: string[] = [];
  const open = text.replaceAll(/`+([^`]+?)`+/g, (_, inner: string) => {
    const index = codes.push(`<code>${escapeHtml(inner)}</code>`) - 1;
    return `\uE000${index}\uE000`;
  });
  return spans(job, open).replaceAll(/\uE000(\d+)\uE000/g, (_, index: string) => codes[Number(index)] ?? '');
}

function spans(job: Job, text: string): string {
  const link = (href: string) => {
    job.links.push(href);
    return escapeHtml(job.target(href));
  };
  return escapeHtml(text.replaceAll('\\<', '<'))
    .replaceAll(
      /!\[([^\]]*)\]\(([^)\s]+)\)/g,
      (_, alt: string, src: string) => `<img src="${link(src)}" alt="${alt}">`,
    )
    .replaceAll(
      /\[([^\]]*)\]\(([^)\s]+)\)/g,
      (_, words: string, href: string) => `<a href="${link(href)}">${words}</a>`,
    )
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/(^|[\s(])\*([^*\s][^*]*)\*/g, '$1<em>$2</em>');
}

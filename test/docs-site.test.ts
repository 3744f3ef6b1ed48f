/** The site of docs/, and the list of error codes that is made from the sources. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../scripts/site/markdown.js';
import { buildSite } from '../scripts/site/site.js';
import { entriesOf, staleNotes, troubleshootingPage } from '../scripts/troubleshooting/page.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const html = (text: string) => renderMarkdown(text).html;

describe('Markdown', () => {
  it.each([
    ['# A `b`', '<h1 id="a-b">A <code>b</code></h1>'],
    ['a\nb', '<p>a b</p>'],
    ['**a** and *b*', '<p><strong>a</strong> and <em>b</em></p>'],
    ['[`a`](b.md#c)', '<p><a href="b.md#c"><code>a</code></a></p>'],
    ['`<a> [b](c)`', '<p><code>&lt;a&gt; [b](c)</code></p>'],
    ['    x < y\n\n    z', '<pre><code>x &lt; y\n\nz</code></pre>'],
    ['```yaml\na: 1\n```', '<pre><code>a: 1</code></pre>'],
    ['- a\n  b\n- c', '<ul><li>a b</li>\n<li>c</li></ul>'],
    ['1. a\n   - b\n2. c', '<ol><li>a\n<ul><li>b</li></ul></li>\n<li>c</li></ol>'],
    ['> a', '<blockquote><p>a</p></blockquote>'],
    ['text\n# B', '<p>text</p>\n<h1 id="b">B</h1>'],
  ])('%j', (text, expected) => expect(html(text)).toBe(expected));

  it('has tables, with bars in cells', () => {
    expect(html('| a | b |\n| --- | --- |\n| `x\\|y` | 2 |')).toContain(
      '<tbody><tr><td><code>x|y</code></td><td>2</td></tr></tbody>',
    );
  });

  it('gives equal headings different anchors', () => {
    expect(renderMarkdown('## A\n## A').anchors).toEqual(['a', 'a-1']);
  });
});

describe('the site', () => {
  const site = buildSite(ROOT);

  it('has no link that leads nowhere, in pages or inside them', () => {
    expect(site.dead).toEqual([]);
  });

  it('has a page for each of docs, all in the menu, and no Markdown left in them', () => {
    const pages = [...site.files].filter(([name]) => name.endsWith('.html'));
    expect(pages.length).toBeGreaterThan(25);
    for (const [name, content] of pages) {
      const text = String(content);
      expect(text).toContain(`<a href="${name}" aria-current="page">`);
      const plain = text.replaceAll(/<pre>[\s\S]*?<\/pre>|<code>[\s\S]*?<\/code>/g, '');
      expect(plain, name).not.toMatch(/\]\(|^#{1,6} |^\| /m);
    }
  });
});

describe('docs/troubleshooting.md', () => {
  const entries = entriesOf(`${ROOT}src`);

  it('is what the sources say (npx tsx scripts/generate-troubleshooting.ts)', () => {
    expect(readFileSync(`${ROOT}docs/troubleshooting.md`, 'utf8')).toBe(troubleshootingPage(entries));
  });

  it('has a cause and a way out for every code (scripts/troubleshooting/notes.ts)', () => {
    expect(entries.length).toBeGreaterThan(300);
    const bare = entries.filter(({ says, ways }) => says.length === 0 || ways.length === 0);
    expect(bare.map(({ code }) => code)).toEqual([]);
    expect(staleNotes(entries)).toEqual([]);
  });
});

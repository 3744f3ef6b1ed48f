/** Messages, help and docs use the words of kubectl, talosctl, qm and terraform; docs/glossary.md has those of oxherd. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { dialectIn, dialectInCode } from './support/dialect.js';
import { lineAt, stringLiterals } from './support/string-literals.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Texts of other programs that the lab repeats word for word. */
const QUOTED = [
  'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  'the server rejected our request due to an error in our request',
  'must not begin or end with a hyphen',
  'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  'Begin and End addresses have different IP versions - ',
  'Begin address is greater than End address ',
];

/** On lines of their own, or at the end of one. */
const COMMENT = /^[ \t]*\/\*[\s\S]*?\*\/|(?:^|(?<=\s))\/\/ .*/gm;

/** What `it` and `describe` are called with, also behind a table of cases. */
const TITLE = /(?:\b(?:it|describe)(?:\.\w+)*\(|\)\()\s*('(?:\\.|[^'\\])*'|`[^`]*`)/g;

function sources(folder: string, wanted = /(?<!\.test)\.ts$/): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return /^(?:fixtures|gen|test-support)$/.test(entry.name) ? [] : sources(path, wanted);
    return wanted.test(entry.name) ? [path] : [];
  });
}

describe('string literals', () => {
  it('are found in strings and in the fixed parts of templates', () => {
    const source = [
      `const a = 'one', b = /'no'/.test(a) ? 4 / 2 : \`two \${a ? \`three \${{ b: 1 }.b}\` : 'four'} five\`;`,
      '// "no"',
      'const c = "six";',
    ].join('\n');
    const found = stringLiterals(source).map(({ at, text }) => [lineAt(source, at), text]);
    expect(found).toEqual([
      ...['one', 'two ', 'three ', '', 'four', ' five'].map((text) => [1, text]),
      [3, 'six'],
    ]);
  });
});

describe('messages and help', () => {
  it('name no page of docs/: the package has none', () => {
    const found = sources(join(ROOT, 'src')).flatMap((path) => {
      const source = readFileSync(path, 'utf8');
      if (!/docs\/[\w-]+\.md/.test(source)) return [];
      return stringLiterals(source)
        .filter(({ text }) => /docs\/[\w-]+\.md/.test(text))
        .map(({ at }) => `${relative(ROOT, path)}:${lineAt(source, at)}`);
    });
    expect(found).toEqual([]);
  });
});

describe('the words of', () => {
  it('messages and help', () => {
    const found = sources(join(ROOT, 'src')).flatMap((path) => {
      const source = readFileSync(path, 'utf8');
      // Comments are read here as well; only what has such a word at all is worth scanning.
      if (dialectIn(source).length === 0) return [];
      return stringLiterals(source)
        .filter(({ text }) => text.includes(' ') && !QUOTED.includes(text))
        .flatMap(({ at, text }) =>
          dialectIn(text).map((words) => `${relative(ROOT, path)}:${lineAt(source, at)} ${words}`),
        );
    });
    expect(found).toEqual([]);
  });

  it('comments', () => {
    const found = sources(join(ROOT, 'src'), /\.ts$/).flatMap((path) => {
      const source = readFileSync(path, 'utf8');
      return [...source.matchAll(COMMENT)].flatMap((comment) => {
        const text = comment[0].replace(/\s*\n\s*\*?\s*/g, ' ');
        return dialectInCode(text).map(
          (words) => `${relative(ROOT, path)}:${lineAt(source, comment.index)} ${words}`,
        );
      });
    });
    expect(found).toEqual([]);
  });

  it('titles of tests', () => {
    const files = [
      ...sources(join(ROOT, 'src'), /\.test\.ts$/),
      ...sources(join(ROOT, 'test'), /\.test\.ts$/),
    ];
    const found = files.flatMap((path) => {
      const source = readFileSync(path, 'utf8');
      return [...source.matchAll(TITLE)].flatMap((title) =>
        dialectInCode(title[1] ?? '').map(
          (words) => `${relative(ROOT, path)}:${lineAt(source, title.index)} ${words}`,
        ),
      );
    });
    expect(found).toEqual([]);
  });

  const pages = [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
  ];

  it.each(pages.filter((page) => page.endsWith('.md')))('%s', (page) => {
    const lines = readFileSync(join(ROOT, page), 'utf8').split('\n');
    // Names of keys, flags and functions are what they are.
    const found = lines.flatMap((line, index) =>
      dialectIn(line.replaceAll(/`[\w.-]+`/g, '``')).map((words) => `${page}:${index + 1} ${words}`),
    );
    expect(found).toEqual([]);
  });
});

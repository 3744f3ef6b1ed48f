/** Pages, and what the command line says of them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { LoadableCommand } from '../src/cli/command-spec.js';
import { COMMANDS } from '../src/cli/gen/command-table.js';
import { FAULTS } from '../src/lab/faults.js';
import { PROFILES } from '../src/lab/profiles/profiles.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => `src/${name}`);

function commandNames(commands: readonly LoadableCommand[], above = ''): string[] {
  return commands.flatMap(({ name, children }) => [
    `${above}${name}`,
    ...commandNames(children ?? [], `${above}${name} `),
  ]);
}
const known = commandNames(COMMANDS);

describe('the pages', () => {
  it.each(pages)('%s links to what is there', (page) => {
    const links = [...read(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map((match) => match[1] ?? '');
    const dead = links.filter(
      (link) => !/^https?:/.test(link) && !existsSync(join(ROOT, dirname(page), link)),
    );
    expect(dead).toEqual([]);
  });

  it('under docs are all named by the README', () => {
    const readme = read('README.md');
    expect(pages.filter((page) => page.startsWith('docs/') && !readme.includes(`](${page})`))).toEqual([]);
  });

  it('that messages speak of are there', () => {
    const named = sources.flatMap((path) =>
      [...read(path).matchAll(/\bdocs\/[\w-]+\.\w+/g)].map((match) => match[0]),
    );
    expect(named).not.toEqual([]);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it.each([
    ['pages', pages],
    ['sources', sources],
  ])('and the %s speak of commands that exist', (_, paths) => {
    const wrong = paths.flatMap((path) =>
      [...read(path).matchAll(/`oxherd ([^`\n\\]+)\\?`/g)]
        .map((match) => match[1] ?? '')
        .filter((words) => !namesCommand(words))
        .map((words) => `${path}: oxherd ${words}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  const page = read('docs/architecture.md');

  it('names every room', () => {
    const rooms = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    const named = [...page.matchAll(/^\| `src\/(\w+)` \|/gm)].map((match) => match[1] ?? '');
    expect(named.sort()).toEqual(rooms.sort());
  });

  it('walks through files that are there', () => {
    const files = [...page.matchAll(/`(\w+\/[\w-]+\.ts)`/g)].map((match) => match[1] ?? '');
    expect(files.length).toBeGreaterThan(5);
    expect(
      files.filter((file) => !existsSync(join(ROOT, 'src', file)) && !existsSync(join(ROOT, file))),
    ).toEqual([]);
  });
});

describe('docs/lab.md', () => {
  const page = read('docs/lab.md');

  it.each([
    ['fault', Object.keys(FAULTS)],
    ['profile', Object.keys(PROFILES)],
  ])('names every %s', (_, names) => {
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('names every flag of lab serve', () => {
    const serve = COMMANDS.find(({ name }) => name === 'lab')?.children?.find(({ name }) => name === 'serve');
    const flags = (serve?.options ?? []).map(({ flags }) => flags.split(' ')[0] ?? '');
    expect(flags).toHaveLength(7);
    expect(flags.filter((flag) => !page.includes(`\`${flag} `))).toEqual([]);
  });
});

/** `-c FILE --lab volumes list --json` does, `volumes lst` does not. */
function namesCommand(text: string): boolean {
  const words = text.replace(/(?:-c|--config|--fault|--lab-profile|--kubernetes) \S+/g, '').split(' ');
  const [name = '', child = ''] = words.filter((word) => /^[a-z]/.test(word));
  if (name === '' || name === 'help') return true;
  const hasChildren = known.some((each) => each.startsWith(`${name} `));
  return known.includes(name) && (!hasChildren || child === '' || known.includes(`${name} ${child}`));
}

/** The table of commands, read from the files in which each says what it is and does it. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CommandSpec } from '../../src/cli/command-spec.js';
import { HELP_ORDER } from '../../src/cli/commands/help-order.js';

const CLI = fileURLToPath(new URL('../../src/cli', import.meta.url));
const COMMANDS = join(CLI, 'commands');
export const TABLE_FILE = join(CLI, 'gen/command-table.ts');

export interface Entry {
  readonly path: string;
  readonly spec: CommandSpec;
  readonly file?: string;
  readonly children?: readonly Entry[];
}

/** Every command with all that its file says of it. */
export async function commandTree(): Promise<Entry[]> {
  const folders = readdirSync(COMMANDS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const entries = await Promise.all(folders.map(({ name }) => entriesIn(join(COMMANDS, name))));
  return inOrder(entries.flat());
}

export async function tableText(): Promise<string> {
  return [
    '// Written by scripts/generate-commands.ts from src/cli/commands; do not edit.',
    "import type { LoadableCommand } from '../command-spec.js';",
    '',
    'export const COMMANDS: readonly LoadableCommand[] = [',
    ...(await commandTree()).map((entry) => `  ${entryText(entry)},`),
    '];',
    '',
  ].join('\n');
}

async function entriesIn(folder: string): Promise<Entry[]> {
  const group = existsSync(join(folder, 'group.ts'))
    ? await exported(join(folder, 'group.ts'), 'group')
    : undefined;
  const files = readdirSync(folder).filter((name) => /^[\w-]+\.ts$/.test(name) && name !== 'group.ts');
  const prefix = group ? `${basename(folder)} ` : '';
  const children = await Promise.all(
    files.map(async (name): Promise<Entry> => {
      const file = join(folder, name);
      return { path: `${prefix}${basename(name, '.ts')}`, spec: await exported(file, 'command'), file };
    }),
  );
  return group ? [{ path: basename(folder), spec: group, children: inOrder(children) }] : children;
}

async function exported(file: string, name: string): Promise<CommandSpec> {
  const found: unknown = (await import(pathToFileURL(file).href))[name];
  if (typeof found === 'object' && found !== null) return found as CommandSpec;
  throw new Error(`${relative(CLI, file)} does not export \`${name}\``);
}

function inOrder(entries: readonly Entry[]): Entry[] {
  const rank = ({ path }: Entry) =>
    HELP_ORDER.includes(path) ? HELP_ORDER.indexOf(path) : HELP_ORDER.length;
  return [...entries].sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
}

function entryText({ spec, file, children }: Entry): string {
  // Only the reference reads what JSON and exit codes mean: the table is loaded by every command.
  const data = JSON.stringify({ ...spec, json: undefined, exits: undefined }).slice(1, -1);
  const load = file ? `, load: () => import('../${relative(CLI, file).replace(/\.ts$/, '.js')}')` : '';
  const below = children ? `, children: [${children.map(entryText).join(', ')}]` : '';
  return `{ ${data}${load}${below} }`;
}

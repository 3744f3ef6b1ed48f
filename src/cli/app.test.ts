/** The frame around all commands: help, mistakes on the command line, colours. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runApp } from './app.js';
import type { LoadableCommand } from './command-spec.js';
import { COMMANDS } from './gen/command-table.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-app-'));
  writeFileSync(join(folder, 'oxherd.yaml'), 'cluster: 1\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

async function oxherd(argv: readonly string[], { env = {}, tty = false } = {}) {
  const stdout = Object.assign(new PassThrough(), { isTTY: tty });
  const stderr = Object.assign(new PassThrough(), { isTTY: tty });
  const exit = await runApp({
    argv,
    cwd: folder,
    env,
    stdin: Object.assign(new PassThrough(), { isTTY: tty }),
    stdout,
    stderr,
    signal: new AbortController().signal,
    version: '1.2.3',
  });
  return { exit, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

interface Named {
  readonly words: readonly string[];
  readonly spec: LoadableCommand;
}

function allCommands(specs: readonly LoadableCommand[], above: readonly string[] = []): Named[] {
  return specs.flatMap((spec) => {
    const words = [...above, spec.name];
    return [{ words, spec }, ...allCommands(spec.children ?? [], words)];
  });
}
const commands = allCommands(COMMANDS).map(({ words, spec }) => ({ name: words.join(' '), words, spec }));
const GLOBAL_FLAGS = [
  '-c',
  '--config',
  '--lab',
  '--lab-profile',
  '--kubernetes',
  '--fault',
  '--json',
  '--no-color',
];

/** The command that an example calls, and the flags that it gives. */
function readExample(example: string): { name: string; flags: string[] } {
  const [, ...words] = example.split(' ');
  const flags = words.filter((word) => /^--?[a-z]/.test(word));
  const named: string[] = [];
  let specs: readonly LoadableCommand[] = COMMANDS;
  for (const word of words) {
    const spec = specs.find((candidate) => candidate.name === word);
    if (!spec) continue;
    named.push(word);
    specs = spec.children ?? [];
  }
  return { name: named.join(' '), flags };
}

describe('help', () => {
  it('is what oxherd says when it is asked nothing', async () => {
    const { exit, stdout, stderr } = await oxherd([]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    for (const { name } of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  it.each(commands)(
    'of $name has a line that says what it does, the global flags, and examples',
    async ({ words, spec }) => {
      const { exit, stdout, stderr } = await oxherd([...words, '--help']);
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
      expect(stdout).toMatch(new RegExp(`^Usage: oxherd ${words.join(' ')}( |$)`, 'm'));
      expect(stdout).toContain('--config <file>');
      expect(spec.examples.length).toBeGreaterThan(0);
      for (const { command, does } of spec.examples) {
        expect(stdout).toContain(`  ${command}`);
        expect(stdout).toContain(does);
      }
    },
  );

  it.each(commands)('of $name has examples of this command, with flags that it takes', ({ name, spec }) => {
    for (const { command } of spec.examples) {
      for (const part of command.replace(/^source <\((.*)\)$/, '$1').split(' && ')) {
        expect(part).toMatch(/^oxherd /);
        const example = readExample(part);
        const called = commands.find((candidate) => candidate.name === example.name);
        const own = (called?.spec.options ?? []).flatMap(
          (option) => option.flags.match(/--?[a-z0-9-]+/g) ?? [],
        );
        expect(example.flags.filter((flag) => ![...own, ...GLOBAL_FLAGS].includes(flag))).toEqual([]);
      }
      // A command with children shows one of theirs.
      expect(` ${command} `).toContain(` ${name} `);
    }
  });
});

describe('a mistake on the command line', () => {
  it.each([
    [['vaildate'], "unknown command 'vaildate'", 'Did you mean validate?'],
    [['export', 'qn'], "unknown command 'qn'", 'Did you mean qm?'],
    [['validate', '--jsno'], "unknown option '--jsno'", 'Did you mean --json?'],
    [['--verson'], "unknown option '--verson'", 'Did you mean --version?'],
    [['lab', 'serve', '--prot', '1'], "unknown option '--prot'", 'Did you mean --port?'],
  ])('%j is answered with a suggestion and exit 1', async (argv, message, suggestion) => {
    const { exit, stdout, stderr } = await oxherd(argv);
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' });
    expect(stderr).toContain(`error: ${message}\n`);
    expect(stderr).toContain(suggestion);
    expect(stderr).toContain('oxherd --help');
  });

  it('is JSON where JSON was asked for', async () => {
    const { exit, stdout, stderr } = await oxherd(['--json', 'vaildate']);
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'cli.usage' } });
    expect(stdout).toContain('Did you mean validate?');
  });

  it('is said where a command is missing or has too many words', async () => {
    expect(await oxherd(['export'])).toMatchObject({ exit: 1, stdout: '' });
    expect(await oxherd(['lab', 'fault'])).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(/missing required argument 'name'/),
    });
    expect(await oxherd(['schema', 'extra'])).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(/too many arguments/),
    });
  });
});

describe('global flags', () => {
  it('may stand before and after the command', async () => {
    const before = await oxherd(['--json', '-c', 'oxherd.yaml', 'validate']);
    expect(before).toEqual(await oxherd(['validate', '--json', '-c', 'oxherd.yaml']));
    expect(JSON.parse(before.stdout)).toMatchObject({ valid: false });
  });

  it('--kubernetes is a kind for the lab, and a version for the commands that take one', async () => {
    expect(await oxherd(['validate', '--kubernetes', 'v1.36.1'])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("option '--kubernetes' of validate is simulated or real, not v1.36.1"),
    });
    expect((await oxherd(['--lab', 'validate', '--kubernetes=real'])).stderr).toContain('has 5 errors');
    const both = await oxherd(['upgrade', '--kubernetes', 'simulated', '--kubernetes', 'soon', '--lab']);
    expect(both.stderr).toContain('--kubernetes soon is not a version');
  });

  it('--fault takes one name and may be repeated', async () => {
    const { stderr } = await oxherd(['--lab', '--fault', 'no-quorum', '--fault', 'storage-full', 'validate']);
    expect(stderr).toContain('oxherd.yaml has 5 errors');
  });
});

describe('colours', () => {
  const ESCAPE = '\x1b[';

  it.each([
    ['a terminal', { tty: true }, true],
    ['no terminal', { tty: false }, false],
    ['NO_COLOR', { tty: true, env: { NO_COLOR: '1' } }, false],
    ['FORCE_COLOR without a terminal', { env: { FORCE_COLOR: '1' } }, true],
    ['NO_COLOR and FORCE_COLOR', { tty: true, env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, false],
    ['FORCE_COLOR=0 without a terminal', { env: { FORCE_COLOR: '0' } }, false],
  ])('with %s', async (_, options, colored) => {
    expect((await oxherd(['validate'], options)).stderr.includes(ESCAPE)).toBe(colored);
  });

  it('never with --json or --no-color', async () => {
    const json = await oxherd(['validate', '--json'], { tty: true });
    expect(json.stdout + json.stderr).not.toContain(ESCAPE);
    expect((await oxherd(['validate', '--no-color'], { tty: true })).stderr).not.toContain(ESCAPE);
  });
});

it('prints its version', async () => {
  expect(await oxherd(['--version'])).toEqual({ exit: 0, stdout: '1.2.3\n', stderr: '' });
});

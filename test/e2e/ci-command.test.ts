/** What a pipeline runs beside its secrets: a path, or a tarball with its sha256; never a name that is looked up somewhere. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** Stands for oxherd: writes the plan it is asked for, and what it was called with. */
const STAND_IN = `#!/usr/bin/env node
const { writeFileSync } = require('node:fs');
const args = process.argv.slice(2);
writeFileSync('called', JSON.stringify({ args, token: process.env.OXHERD_PROXMOX_TOKEN }));
writeFileSync(args[args.indexOf('--out') + 1], JSON.stringify({ planId: 'p1' }));
`;

let folder: string;
let sha256: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-ci-'));
  mkdirSync(join(folder, 'package'));
  writeFileSync(join(folder, 'package/oxherd.js'), STAND_IN);
  chmodSync(join(folder, 'package/oxherd.js'), 0o755);
  // A script of the package, or of one it depends on, must not run.
  writeFileSync(
    join(folder, 'package/package.json'),
    JSON.stringify({
      name: 'stand-in',
      version: '1.0.0',
      bin: { oxherd: 'oxherd.js' },
      scripts: { postinstall: `touch '${join(folder, 'script-ran')}'` },
    }),
  );
  execFileSync('tar', ['-czf', 'oxherd.tgz', 'package'], { cwd: folder });
  sha256 = createHash('sha256')
    .update(readFileSync(join(folder, 'oxherd.tgz')))
    .digest('hex');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function plan(env: Record<string, string>) {
  rmSync(join(folder, 'called'), { force: true });
  const { PATH, HOME } = process.env;
  const result = spawnSync('bash', [at('ci/oxherd-ci.sh'), 'plan'], {
    cwd: folder,
    encoding: 'utf8',
    // Nothing may be fetched: a lookup of a name fails at once.
    env: { PATH, HOME, npm_config_offline: 'true', OXHERD_PROXMOX_TOKEN: 'secret', ...env },
  });
  const called = existsSync(join(folder, 'called'))
    ? JSON.parse(readFileSync(join(folder, 'called'), 'utf8'))
    : undefined;
  return { ...result, called };
}

describe('a pipeline', () => {
  it('runs the path it is given', () => {
    const { status, called } = plan({ OXHERD: './package/oxherd.js' });
    expect(status).toBe(0);
    expect(called).toMatchObject({ args: expect.arrayContaining(['plan']), token: 'secret' });
  });

  it('runs the tarball of the given sha256, and none of its scripts', () => {
    const { status, called, stderr } = plan({ OXHERD_TARBALL: 'oxherd.tgz', OXHERD_SHA256: sha256 });
    expect({ status, stderr: stderr.includes('error') }).toEqual({ status: 0, stderr: false });
    expect(called).toMatchObject({ args: expect.arrayContaining(['plan']), token: 'secret' });
    expect(existsSync(join(folder, 'script-ran'))).toBe(false);
  });

  it.each([
    ['nothing', {}, 'OXHERD_TARBALL='],
    ['a name', { OXHERD: 'oxherd' }, 'OXHERD=/'],
    ['a name that is a file here', { OXHERD: 'oxherd.tgz' }, 'OXHERD=/'],
    ['npx', { OXHERD: 'npx --yes oxherd' }, 'OXHERD=/'],
    ['a command with a path', { OXHERD: 'node ./package/oxherd.js' }, 'OXHERD=/'],
    ['a path without a file', { OXHERD: './nothing' }, 'OXHERD=/'],
    ['a path that cannot be run', { OXHERD: './oxherd.tgz' }, 'OXHERD=/'],
    ['a tarball without a sha256', { OXHERD_TARBALL: 'oxherd.tgz' }, 'OXHERD_SHA256'],
    ['half a sha256', { OXHERD_TARBALL: 'oxherd.tgz', OXHERD_SHA256: 'abc' }, 'OXHERD_SHA256'],
    ['another sha256', { OXHERD_TARBALL: 'oxherd.tgz', OXHERD_SHA256: '0'.repeat(64) }, 'its sha256 is'],
    ['a package name', { OXHERD_TARBALL: 'oxherd', OXHERD_SHA256: '0'.repeat(64) }, 'no such file'],
    [
      'plain http',
      { OXHERD_TARBALL: 'http://registry.example.com/oxherd.tgz', OXHERD_SHA256: '0'.repeat(64) },
      'not https',
    ],
    ['both', { OXHERD: './package/oxherd.js', OXHERD_TARBALL: 'oxherd.tgz' }, 'keep one'],
  ])('refuses %s', (_, env, says) => {
    const { status, called, stderr } = plan(env);
    expect({ status, called }).toEqual({ status: 1, called: undefined });
    expect(stderr).toContain(says);
    expect(stderr).not.toContain('secret');
  });
});

describe('the templates', () => {
  it('call the script and have no default for what it runs', () => {
    const action: {
      inputs: Record<string, { default?: string }>;
      runs: { steps: { run: string; env: Record<string, string> }[] };
    } = parse(readFileSync(at('ci/github/action.yml'), 'utf8'));
    const [step] = action.runs.steps;
    expect(step?.run).toContain('/../oxherd-ci.sh');
    expect(existsSync(at('ci/github/../oxherd-ci.sh'))).toBe(true);
    for (const [input, variable] of [
      ['oxherd', 'OXHERD'],
      ['tarball', 'OXHERD_TARBALL'],
      ['sha256', 'OXHERD_SHA256'],
    ] as const) {
      expect(action.inputs[input]?.default).toBe('');
      expect(step?.env[variable]).toBe(`\${{ inputs.${input} }}`);
    }
    const gitlab: Record<string, { script?: string[] }> = parse(
      readFileSync(at('ci/gitlab/oxherd.yml'), 'utf8'),
    );
    expect(gitlab['oxherd plan']?.script).toEqual(['bash ci/oxherd-ci.sh plan']);
    expect(gitlab['oxherd apply']?.script).toEqual(['bash ci/oxherd-ci.sh apply']);
    expect(Object.keys(gitlab.variables ?? {}).filter((name) => name.startsWith('OXHERD'))).toEqual([]);
  });
});

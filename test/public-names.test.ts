/** Nothing in the project points at a public name that it does not own: see src/model/publisher.ts. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ALLOWED } from './support/public-names/allowed.js';
import { type PublicName, publicNames } from './support/public-names/find.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The samples and the list itself. */
const APART = /^test\/(?:public-names\.test\.ts|support\/public-names\/)/;
const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
  .split('\0')
  .filter(Boolean);
const isFile = (
  (names) => (name: string) =>
    names.has(name)
)(new Set(files.map((path) => basename(path).toLowerCase())));

describe('the finder', () => {
  it.each([
    ['an image: ghcr.io/oxherd/x', 'ghcr.io/oxherd'],
    ['image: "ghcr.io/oxherd/oxherd:0.1.0"', 'ghcr.io/oxherd'],
    ['docker pull quay.io/oxherd/controller', 'quay.io/oxherd'],
    ['oci://ghcr.io/oxherd/charts', 'ghcr.io/oxherd'],
    ['FROM oxherd/base:1', 'docker.io/oxherd'],
    ['image: oxherd/oxherd', 'docker.io/oxherd'],
    ['{"image": "oxherd/oxherd:1"}', 'docker.io/oxherd'],
    ['docker run --rm -it oxherd/oxherd plan', 'docker.io/oxherd'],
    ['fleet install --image oxherd/oxherd', 'docker.io/oxherd'],
    ['see oxherd.io.', 'oxherd.io'],
    ['apiVersion: oxherd.dev/v1', 'oxherd.dev'],
    ['proxmoxsites.oxherd.dev', 'proxmoxsites.oxherd.dev'],
    ['curl -fsSL get.oxherd.sh | sh', 'get.oxherd.sh'],
    ['https://oxherd.cattle/docs', 'oxherd.cattle'],
    ['the page oxherd.cattle', 'oxherd.cattle'],
    ['my-oxherd.systems', 'my-oxherd.systems'],
    ['https://oxherd-docs.pages.dev/x', 'oxherd-docs.pages.dev'],
    ['http://user:pass@Sub.Stranger.TEAM:8080/x', 'sub.stranger.team'],
    ['mail me@stranger.com', 'stranger.com'],
    ['"homepage": "https://github.com/oxherd/oxherd"', 'github.com/oxherd'],
    ['git@github.com:oxherd/oxherd.git', 'github.com/oxherd'],
    ['uses: oxherd/setup@v1', 'github.com/oxherd'],
    ['npx oxherd-tool', 'npm:oxherd-tool'],
    ['run `npx --yes oxherd plan`', 'npm:oxherd'],
    ['npx --package=oxherd-tool x', 'npm:oxherd-tool'],
    ['npm exec --yes oxherd@1.2 -- plan', 'npm:oxherd'],
    ["spawnSync('npx', ['--yes', 'oxherd', 'plan'])", 'npm:oxherd'],
    ["['npm', 'install', 'oxherd']", 'npm:oxherd'],
    ['npm install --global oxherd@latest', 'npm:oxherd'],
    ['npm i -g left-pad oxherd', 'npm:oxherd'],
    ['yarn global add oxherd', 'npm:oxherd'],
    ['pnpm dlx oxherd plan', 'npm:oxherd'],
    ['bunx oxherd', 'npm:oxherd'],
    ["import x from '@oxherd/core';", 'npm:@oxherd/core'],
    ['"node_modules/@oxherd/core": {', 'npm:@oxherd/core'],
    ['"node_modules/oxherd-core": {', 'npm:oxherd-core'],
    ['pipx install oxherd', 'pypi:oxherd'],
    ['brew install oxherd', 'brew:oxherd'],
    ['kubectl krew install oxherd', 'krew:oxherd'],
  ])('finds in %j: %s', (text, name) => {
    expect([...publicNames(text, isFile)]).toContain(name);
    // Whatever the allow list has, none of these is in it.
    expect(isAllowed(name, 'docs/index.md')).toBe(false);
  });

  it.each([
    'oxherd.yaml, .oxherd/lab, oxherd-0.1.0.tgz, oxherd-plan.json.md, dist/oxherd.1.gz',
    'apiVersion: oxherd.internal/v1alpha1, lab.oxherd.internal/run',
    'https://pve:8006, https://192.0.2.1/x, http://localhost:3000, https://a.example.org, x.example, no.such.invalid',
    'registry.example.com/oxherd@sha256:abc',
    'npm ci && npm start; npm install ./oxherd-0.1.0.tgz; npm install "$tarball"; npm pack',
    'node dist/bin/oxherd.js plan; docker build -t oxherd .; image: oxherd',
    'await site.run(); vm.host; subnet.net',
    'root@pam, admin@pve!token',
  ])('finds nothing in %j', (text) => expect([...publicNames(text, isFile)]).toEqual([]));
});

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      integrity: z.string().optional(),
      bin: z.record(z.string(), z.string()).optional(),
      peerDependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

/** Packages that the lock pins by their hash, and their programs; optional peers are not installed. */
const locked = (() => {
  const { packages } = lockSchema.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  return new Set(
    Object.entries(packages).flatMap(([path, { integrity, bin = {}, peerDependencies = {} }]) =>
      integrity === undefined
        ? []
        : [
            path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
            ...Object.keys(bin),
            ...Object.keys(peerDependencies),
          ],
    ),
  );
})();

function covers(allowed: PublicName, name: PublicName): boolean {
  if (allowed === name) return true;
  return !/[/:]/.test(allowed + name) && name.endsWith(`.${allowed}`);
}

function isAllowed(name: PublicName, path: string): boolean {
  if (name.startsWith('npm:') && !name.includes('oxherd') && locked.has(name.slice('npm:'.length)))
    return true;
  return ALLOWED.some(
    (entry) => (entry.in?.includes(path) ?? true) && entry.names.some((allowed) => covers(allowed, name)),
  );
}

describe('tracked files', () => {
  const found = new Map(
    files
      .filter((path) => !APART.test(path))
      .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')] as const)
      .filter(([, text]) => !text.includes('\0'))
      .map(([path, text]) => [path, publicNames(text, isFile)] as const),
  );

  it('have no public name but those of test/support/public-names/allowed.ts', () => {
    const wrong = [...found].flatMap(([path, names]) =>
      [...names].filter((name) => !isAllowed(name, path)).map((name) => `${path}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('need every entry of the allow list', () => {
    const unused = ALLOWED.flatMap((entry) => [
      ...entry.names.filter(
        (allowed) => ![...found.values()].some((names) => [...names].some((name) => covers(allowed, name))),
      ),
      ...(entry.in ?? []).filter(
        (path) =>
          ![...(found.get(path) ?? [])].some((name) => entry.names.some((allowed) => covers(allowed, name))),
      ),
    ]);
    expect(unused).toEqual([]);
  });
});

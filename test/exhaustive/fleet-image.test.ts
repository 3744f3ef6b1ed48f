/** The file tree of the image in a bare root directory: Node, its libraries, the package and nothing else; not root, nothing to write to. */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServedFleet, TEAM, until } from '../support/fleet/processes.js';

const UID = 65_532;
const WORK = '/var/lib/oxherd';
const ENTRY = '/opt/oxherd/node_modules/.bin/oxherd';
const allowed = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('dist/bin/oxherd.js');
const skipped = allowed ? '' : ' (skipped: needs Linux, root for chroot, and a build)';

/** As `npm install --omit=dev --omit=optional` would, from what is installed here. */
function copyPackage(root: string): void {
  const modules = join(root, 'opt/oxherd/node_modules');
  cpSync('dist', join(modules, 'oxherd/dist'), { recursive: true });
  cpSync('package.json', join(modules, 'oxherd/package.json'));
  mkdirSync(join(modules, '.bin'));
  symlinkSync('../oxherd/dist/bin/oxherd.js', join(modules, '.bin/oxherd'));
  const done = new Set<string>();
  const copy = (name: string) => {
    if (done.has(name)) return;
    done.add(name);
    const from = join('node_modules', name);
    cpSync(from, join(modules, name), { recursive: true, dereference: true });
    dependenciesOf(join(from, 'package.json')).forEach(copy);
  };
  dependenciesOf('package.json').forEach(copy);
}

function dependenciesOf(file: string): string[] {
  const { dependencies = {} }: { dependencies?: Record<string, string> } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  return Object.keys(dependencies);
}

/** Node where the image has it, and the libraries that it names. */
function copyNode(root: string): void {
  mkdirSync(join(root, 'nodejs/bin'), { recursive: true });
  cpSync(process.execPath, join(root, 'nodejs/bin/node'), { dereference: true });
  const listed = execFileSync('ldd', [process.execPath], { encoding: 'utf8' });
  for (const [, path = ''] of listed.matchAll(/(?:=>)?\s(\/\S+) \(0x/g)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    cpSync(path, join(root, path), { dereference: true });
  }
}

describe.skipIf(!allowed)(`the image${skipped}`, () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'oxherd-image-'));
    chmodSync(root, 0o755);
    copyNode(root);
    copyPackage(root);
    for (const folder of [WORK, '/tmp']) {
      mkdirSync(join(root, folder), { recursive: true });
      chownSync(join(root, folder), UID, UID);
    }
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const start = (...args: string[]) => {
    const command = [`--userspec=${UID}:${UID}`, root, '/nodejs/bin/node', ...args];
    const env = { PATH: process.env.PATH, HOME: WORK, NODE_OPTIONS: '--max-semi-space-size=4' };
    const child = spawn('chroot', command, { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
    return { child, ended, output: () => output };
  };

  it('answers, and can write nowhere but where it works', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const shown = start(ENTRY, '--version');
    expect({ exit: await shown.ended, output: shown.output().trim() }).toEqual({ exit: 0, output: version });
    const script = `const fs = require('node:fs');
      for (const folder of ['/', '/opt/oxherd', '/nodejs/bin', '${WORK}'])
        try { fs.writeFileSync(folder + '/x', ''); console.log(folder); } catch (error) { console.log(error.code); }`;
    const written = start('-e', script);
    await written.ended;
    expect(written.output().trim().split('\n')).toEqual(['EACCES', 'EACCES', 'EACCES', WORK]);
  });

  it('is the fleet controller: it observes a cluster, says so, and ends when it is asked to', async () => {
    const fleet = await ServedFleet.start();
    const kubeconfig = join(root, WORK, 'kubeconfig');
    writeFileSync(kubeconfig, readFileSync(join(fleet.folder.path, 'controller.kubeconfig')), {
      mode: 0o600,
    });
    chownSync(kubeconfig, UID, UID);
    const ports = ['--health-port=0', '--metrics-port=0', '--page-port=0', '--listen=127.0.0.1'];
    const where = [`--kubeconfig=${WORK}/kubeconfig`, `--namespaces=${TEAM}`, `--work-dir=${WORK}/clusters`];
    const controller = start(ENTRY, 'controller', ...where, ...ports);
    const seen = async () => JSON.stringify((await fleet.cluster())?.status ?? {});
    await until(
      'the cluster was looked at',
      async () => (await seen()).includes('"Observed"'),
      async () => `${await seen()}\n${controller.output()}`,
    );
    expect(await seen()).toContain('"ConfigValid"');
    controller.child.kill('SIGTERM');
    expect(await controller.ended, controller.output()).toBe(0);
    expect(controller.output()).toContain('"message":"stopped"');
  });
});

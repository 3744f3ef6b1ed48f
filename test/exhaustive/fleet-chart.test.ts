/** The Helm chart, by Helm itself, on a real API server: rendered and tried, installed, changed and removed; and values it refuses. */
import { execFile, spawnSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMapping } from '../../src/formats/text/mapping.js';
import { readYamlDocuments } from '../../src/formats/text/yaml-text.js';
import { wallClock } from '../../src/session/connect/wall-clock.js';
import { type ManagementApi, startManagementApi } from '../support/fleet/management-api.js';
import { FLEET_VALUES } from '../support/fleet/values.js';
import { realBinaries } from '../support/kubernetes-contract.js';

const CHART = 'deploy/chart';
const OWN = 'oxherd-system';
const TEAM = 'oxherd-clusters';
const IMAGE = FLEET_VALUES.image;
const SET = ['--set', `image=${IMAGE}`];

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const missing = [
  ...['helm', 'kubectl'].filter((program) => !isOnPath(program)),
  ...(realBinaries() === undefined ? ['etcd and kube-apiserver'] : []),
];
const skipped = missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')} on the PATH)`;
const noHelm = !isOnPath('helm');

describe.skipIf(missing.length > 0)(`the chart on a real API server${skipped}`, () => {
  let api: ManagementApi;
  let folder: string;
  const env = () => ({ ...process.env, KUBECONFIG: join(folder, 'admin'), HOME: folder });
  // The API is served by this very process: nothing may block it.
  const run = (program: string, args: readonly string[], input = '') =>
    new Promise<string>((resolve, reject) => {
      const child = execFile(program, args, { env: env() }, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      );
      child.stdin?.end(input);
    });
  const found = async (...args: string[]) =>
    (await run('kubectl', ['get', '-o', 'name', '--ignore-not-found', ...args])).trim();

  beforeAll(async () => {
    api = await startManagementApi('real', wallClock);
    folder = mkdtempSync(join(tmpdir(), 'oxherd-chart-'));
    writeFileSync(join(folder, 'admin'), await api.kubeconfig('admin', { groups: ['system:masters'] }), {
      mode: 0o600,
    });
    for (const name of [OWN, TEAM]) await run('kubectl', ['create', 'namespace', name]);
  });
  afterAll(async () => {
    await api?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it('is accepted whole, as Helm renders it', async () => {
    const version = ['--kube-version', 'v1.36.0'];
    const text = await run('helm', [
      'template',
      'oxherd',
      CHART,
      '-n',
      OWN,
      '--include-crds',
      ...version,
      ...SET,
    ]);
    const objects = readYamlDocuments(text).filter(isMapping);
    const answered = await run('kubectl', ['apply', '--dry-run=server', '-f', '-'], text);
    const lines = answered.trim().split('\n');
    expect(lines).toHaveLength(objects.length);
    for (const line of lines) expect(line).toMatch(/ created \(server dry run\)$/);
    expect(await found('deployments', '-n', OWN)).toBe('');
  });

  it('is installed, changed and removed; definitions stay', async () => {
    await run('helm', ['install', 'oxherd', CHART, '-n', OWN, ...SET]);
    const replicas = () =>
      run('kubectl', [
        'get',
        'deployment',
        'oxherd-controller',
        '-n',
        OWN,
        '-o',
        'jsonpath={.spec.replicas}',
      ]);
    expect(await replicas()).toBe('2');
    expect(await found('roles', '-n', TEAM)).toBe(
      'role.rbac.authorization.k8s.io/oxherd-controller-clusters',
    );
    await run('helm', ['upgrade', 'oxherd', CHART, '-n', OWN, ...SET, '--set', 'replicas=3']);
    expect(await replicas()).toBe('3');
    await run('helm', ['uninstall', 'oxherd', '-n', OWN]);
    expect(await found('deployments', '-n', OWN)).toBe('');
    expect(await found('roles', '-n', TEAM)).toBe('');
    expect((await found('crds')).split('\n')).toHaveLength(5);
  });
});

describe.skipIf(noHelm)(`values of the chart${noHelm ? ' (skipped: no helm on the PATH)' : ''}`, () => {
  const render = (...values: string[]) =>
    spawnSync('helm', ['template', 'x', CHART, '--kube-version', 'v1.36.0', ...values], { encoding: 'utf8' });

  it.each([
    ['replicas=0', '/replicas'],
    ['replicas=10', '/replicas'],
    ['replicas=many', '/replicas'],
    ['replicaCount=2', "'replicaCount' not allowed"],
    ['image=oxherd', '/image'],
    ['image=registry.example.com/oxherd:0.1.0', '/image'],
    ['image=', '/image'],
    ['namespaces=team', '/namespaces'],
    ['namespaces={a,a}', '/namespaces'],
    ['namespaces={A_B}', '/namespaces/0'],
    ['leaseDuration=15', '/leaseDuration'],
    ['leaseDuration=4s', '/leaseDuration'],
    ['leaseDuration=15m', '/leaseDuration'],
  ])('%s is refused', (value, names) => {
    const { status, stderr } = render('--set', `image=${IMAGE}`, '--set', value);
    expect(status).not.toBe(0);
    expect(stderr).toContain(names);
  });

  it('with an image in parts are refused', () => {
    const { status, stderr } = render('--set', 'image.repository=oxherd');
    expect(status).not.toBe(0);
    expect(stderr).toContain('/image');
  });

  it('without an image are refused with an example', () => {
    const { status, stderr } = render();
    expect(status).not.toBe(0);
    expect(stderr).toContain('--set image=registry.example.com/oxherd@sha256:DIGEST');
  });

  it('of their own types are taken', () => {
    const { status, stdout, stderr } = render(
      ...['--set', `replicas=3,leaseDuration=30s,image=${IMAGE}`],
      ...['--set', 'namespaces={a,b}'],
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const text of ['replicas: 3', '--lease=30s', IMAGE, '--namespaces=a,b'])
      expect(stdout).toContain(text);
  });
});

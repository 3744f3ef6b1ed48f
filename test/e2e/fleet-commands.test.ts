/** `oxherd fleet …` and `oxherd controller` on the lab's own Kubernetes API: each with what it does and what it refuses. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APPROVALS, CLUSTERS } from '../../src/controller/api/group.js';
import { wallClock } from '../../src/session/connect/wall-clock.js';
import { CliFolder } from '../support/cli.js';
import { type ManagementApi, startManagementApi } from '../support/fleet/management-api.js';
import { FLEET_VALUES } from '../support/fleet/values.js';
import { smallFile } from '../support/small-file.js';

const PLAN = 'a'.repeat(64);
const TEAM = 'team-a';
const IMAGE = FLEET_VALUES.image;
let api: ManagementApi;
let folder: CliFolder;

beforeAll(async () => {
  api = await startManagementApi('simulated', wallClock);
  folder = CliFolder.make(smallFile());
  folder.write('admin', await api.kubeconfig('admin', { groups: ['system:masters'], namespace: TEAM }));
  folder.write('viewer', await api.kubeconfig('viewer', { namespace: TEAM }));
});
afterAll(async () => {
  await api?.close();
  folder?.remove();
});

const fleet = (...args: string[]) => folder.run(['fleet', ...args], { env: { KUBECONFIG: 'admin' } });
const json = async (...args: string[]) => {
  const { exit, stdout } = await folder.run(['--json', 'fleet', ...args], { env: { KUBECONFIG: 'admin' } });
  return { exit, value: JSON.parse(stdout) };
};

describe('the commands of the fleet', () => {
  it('install: applies all objects, or prints them', async () => {
    const { exit, value } = await json('install', '--clusters', TEAM, '--image', IMAGE);
    expect(exit).toBe(0);
    expect(value).toContain('CustomResourceDefinition/oxherdclusters.oxherd.internal');
    expect(value).toContain('ValidatingAdmissionPolicy/oxherd-approvals.oxherd.internal');
    const printed = await fleet(
      'install',
      '--clusters',
      'x, y',
      '--manifests',
      '--image',
      IMAGE,
      '--replicas',
      '3',
    );
    expect(printed.stdout).toMatch(/--namespaces=x,y/);
    expect(printed.stdout).toContain(`image: ${IMAGE}\n`);
    for (const image of [[], ['--image', 'registry.example.com/oxherd:0.1.0']])
      for (const manifests of [[], ['--manifests']])
        expect(await fleet('install', ...image, ...manifests)).toMatchObject({
          exit: 1,
          stdout: '',
          stderr: expect.stringContaining('--image registry.example.com/oxherd@sha256:DIGEST'),
        });
    const refused = await fleet('install', '--image', IMAGE, '--replicas', 'many');
    expect(refused).toMatchObject({ exit: 1, stderr: expect.stringContaining('--replicas many') });
  });

  it('add: a config map and the object, in a namespace that exists', async () => {
    expect((await fleet('list')).stdout).toBe('no clusters\n');
    const added = await fleet('add', '--site', 'rack', '--auto', 'live');
    expect(added).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining(`added ${TEAM}/small on site rack`),
    });
    expect(await json('add', '--name', 'other')).toMatchObject({
      exit: 0,
      value: { namespace: TEAM, name: 'other' },
    });
    const refused = await fleet('add', '--namespace', 'nowhere');
    expect(refused).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('oxherd fleet install --clusters'),
    });
    const choice = await fleet('add', '--auto', 'replace');
    expect(choice).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('none, live, component, restart'),
    });
  });

  it('list and status: what waits for whom', async () => {
    const client = await api.person('admin', ['system:masters']);
    const condition = (type: string, status: string, reason: string, message = '') => ({
      type,
      status,
      reason,
      message,
      lastTransitionTime: '2026-06-01T10:00:00Z',
    });
    const status = {
      conditions: [
        condition('Ready', 'False', 'AwaitingApproval', 'impact restart needs an approval'),
        condition('AwaitingApproval', 'True', 'AwaitingApproval'),
      ],
      plan: { planId: PLAN, shortId: PLAN.slice(0, 12), impact: 'restart', steps: 3 },
    };
    const at = { kind: 'merge', namespace: TEAM, subresource: 'status' } as const;
    await client.patch(CLUSTERS, 'small', { status }, at);
    expect((await fleet('list', '-A')).stdout).toMatch(
      /team-a +small +AwaitingApproval .*aaaaaaaaaaaa +restart +3/,
    );
    const rows = (await json('list')).value.map(({ name, state }: { name: string; state: string }) => [
      name,
      state,
    ]);
    expect(rows).toEqual([
      ['other', 'New'],
      ['small', 'AwaitingApproval'],
    ]);
    const shown = await fleet('status', 'small');
    expect(shown).toMatchObject({
      exit: 3,
      stdout: expect.stringContaining('oxherd fleet approve small aaaaaaaaaaaa'),
    });
    expect((await fleet('status', 'small', '--namespace', TEAM)).stdout).toContain(
      'Approve it: oxherd fleet approve small aaaaaaaaaaaa --namespace team-a\n',
    );
    expect(await json('status', 'small')).toMatchObject({
      exit: 3,
      value: { cluster: { status: { plan: { planId: PLAN } } } },
    });
    const missing = await fleet('status', 'none');
    expect(missing).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('there is no OxherdCluster none'),
    });
  });

  it('approve: this plan, by someone who may', async () => {
    expect((await fleet('approve', 'small', 'b'.repeat(12))).stderr).toContain(
      'the plan of small is aaaaaaaaaaaa, not bbbbbbbbbbbb',
    );
    expect((await fleet('approve', 'small', 'aaa')).exit).toBe(1);
    expect((await fleet('approve', 'other', PLAN)).stderr).toContain('other has no plan to approve');
    const client = await api.person('admin', ['system:masters']);
    const empty = { planId: PLAN, shortId: PLAN.slice(0, 12), impact: 'none', steps: 0 };
    const at = { kind: 'merge', namespace: TEAM, subresource: 'status' } as const;
    await client.patch(CLUSTERS, 'other', { status: { plan: empty } }, at);
    expect((await fleet('approve', 'other', PLAN)).stderr).toContain('other has no plan to approve');
    expect((await fleet('approve', 'small', PLAN, '--for', 'soon')).exit).toBe(1);
    const viewer = await folder.run(['fleet', 'list', '--kubeconfig', 'viewer']);
    expect(viewer).toMatchObject({ exit: 1, stderr: expect.stringMatching(/forbidden|may not/) });
    const { exit, value } = await json('approve', 'small', PLAN.slice(0, 12), '--for', '2h');
    expect(exit).toBe(0);
    expect(value).toMatchObject({ kind: APPROVALS.kind, spec: { planId: PLAN, approvedBy: 'admin' } });
    const lied = await fleet('approve', 'small', PLAN, '--as', 'boss');
    expect(lied).toMatchObject({ exit: 1, stderr: expect.stringContaining('your own user name: admin') });
  });

  it('suspend: and resume', async () => {
    expect((await fleet('suspend', 'small')).stdout).toBe('team-a/small is suspended\n');
    expect((await json('list')).value[1]).toMatchObject({ state: 'Suspended' });
    expect(await json('suspend', 'small', '--resume')).toEqual({
      exit: 0,
      value: { namespace: TEAM, name: 'small', suspend: false },
    });
    expect((await fleet('suspend', 'none')).exit).toBe(1);
  });

  it('controller: refuses what it cannot be', async () => {
    const refused = (...args: string[]) => folder.run(['controller', '--kubeconfig', 'admin', ...args]);
    expect((await refused('--lease', 'long')).stderr).toContain(
      '--lease long is not a duration of at least 5s',
    );
    expect((await refused('--lease', '2s')).exit).toBe(1);
    expect((await refused('--health-port', '99999')).stderr).toContain('--health-port');
    expect((await refused('--identity', 'Not A Name')).exit).toBe(1);
    expect((await refused('--namespace', 'nowhere')).stderr).toContain('there is no namespace nowhere');
    const lost = await folder.run(['controller', '--kubeconfig', 'no-such-file']);
    expect(lost.exit).toBe(1);
    expect(lost.stderr).toContain('no-such-file');
  });

  it.each(['install', 'add', 'list', 'status', 'approve', 'suspend'])('%s: has help', async (name) => {
    const { exit, stdout } = await fleet(name, '--help');
    expect(exit).toBe(0);
    expect(stdout).toContain('--kubeconfig <file>');
    expect(stdout).toContain(`oxherd fleet ${name}`);
  });

  it('controller: has help', async () => {
    const { exit, stdout } = await folder.run(['controller', '--help']);
    expect([exit, stdout]).toEqual([0, expect.stringContaining('--metrics-port')]);
  });
});

import { describe, expect, it } from 'vitest';
import { partOf } from '../../../test/support/part-of.js';
import { emptyProxmox } from '../../../test/support/plan/observed.js';
import { partVms } from '../../../test/support/plan/part-vms.js';
import type { Design } from '../../design/design.js';
import { known, notAsked, type Observed, unknown } from '../../observe/observed.js';
import type { ObservedKubernetes } from '../../observe/observed-kubernetes.js';
import { unreadList } from '../../observe/observed-lists.js';
import type { MachineDetails, MachinePresence, ObservedMachine } from '../../observe/observed-machines.js';
import { incompleteParts, incompleteText } from './incomplete.js';

const design = partOf<Design>({
  access: [
    { kind: 'user', id: 'csi@pve' },
    { kind: 'token', user: 'csi@pve', id: 'csi' },
    { kind: 'role', id: 'csi' },
    { kind: 'pool', id: 'small' },
    { kind: 'acl', path: '/pool/small', role: 'csi', subject: { kind: 'user', id: 'csi@pve' } },
  ],
  nodes: [
    { name: 'cp-1', role: 'controlplane', host: 'pve1', talosVm: { vmid: 141 } },
    { name: 'work-1', role: 'worker', host: 'pve2', talosVm: { vmid: 151 } },
  ],
});

const DETAILS = partOf<MachineDetails>({
  schematic: known(undefined),
  timeSynced: known(true),
  config: known({ hash: '', redacted: '' }),
  services: [{ id: 'etcd', state: 'Running', health: 'healthy', message: '' }],
  etcd: known({ members: [] }),
});

function machine(presence: MachinePresence, details = known<MachineDetails>(DETAILS)): ObservedMachine {
  return partOf<ObservedMachine>({ presence, details });
}

const ANSWERS = { endpoints: { '10.0.0.41': true }, objects: {}, gates: {} };
const PARTS = [
  'now',
  'workloads',
  'pods',
  'budgets',
  'version',
  'nodes',
  'controlPlanePods',
  'ours',
  'cilium',
  'loadBalancer',
  'gitops',
  'csiSecret',
  'csiDriver',
  'sealedKey',
  'gatewayApi',
  'volumes',
  'claims',
  'attachments',
] as const;

function kubernetes(change: Partial<Record<string, unknown>> = {}): ObservedKubernetes {
  const parts = Object.fromEntries(PARTS.map((name) => [name, known([])]));
  return partOf<ObservedKubernetes>({ ...ANSWERS, ...parts, ...change });
}

function observed(change: Partial<Record<string, unknown>> = {}): Observed {
  return {
    ...emptyProxmox(),
    permissions: known({ '/access/groups': { 'User.Modify': true } }),
    ...{ vms: partVms(), volumes: {}, images: {}, bridges: {} },
    machines: { 'cp-1': machine('configured'), 'work-1': machine('configured') },
    kubernetes: kubernetes(),
    ...change,
  };
}

const whats = (seen: Observed, only?: string[]) =>
  incompleteParts(design, seen, { only }).map(({ what }) => what);

describe('parts that were not read', () => {
  it('are none if everything answered', () => {
    expect(whats(observed())).toEqual([]);
  });

  it.each([
    ['configured', ['work-1']],
    ['absent', ['work-1']],
    // These are facts: the plan starts the VM, or gives the machine its config.
    ['off', []],
    ['maintenance', []],
  ] as const)('a machine that is %s and gives no details: %j', (presence, parts) => {
    const machines = { 'cp-1': machine('configured'), 'work-1': machine(presence, unknown('it refuses')) };
    expect(whats(observed({ machines }))).toEqual(parts);
  });

  it('a VM that left oxherd.yaml, unless its host is down', () => {
    const vms = partVms({
      vmid: 160,
      name: 'old',
      host: 'pve1',
      status: 'unknown',
      config: unknown('no answer'),
    });
    const parts = ['the config of VM 160', 'whether VM 160 runs'];
    expect(whats(observed({ vms })).sort()).toEqual(parts);
    const { pve1: _, ...hosts } = emptyProxmox().hosts;
    expect(whats(observed({ vms, hosts: { ...hosts, pve1: { name: 'pve1', online: false } } }))).toEqual([]);
    expect(whats(observed({ vms }), ['cp-1'])).toEqual([]);
  });

  it('no tokens of Proxmox for a token that may not manage users: the plan prints the commands', () => {
    const access = { ...emptyProxmox().access, tokens: unreadList<never>('403') };
    const tokens = (permissions: object) =>
      whats(observed({ access, permissions: known(permissions) })).filter((what) => /tokens/.test(what));
    expect(tokens({ '/access/groups': { 'User.Modify': true } })).toHaveLength(1);
    expect(tokens({ '/vms': { 'VM.Audit': true } })).toEqual([]);
  });

  it('a config, and etcd once there is data of it', () => {
    const cp = (details: object) => ({
      machines: { 'cp-1': machine('configured', known({ ...DETAILS, ...details })) },
    });
    expect(whats(observed(cp({ config: unknown('x') })))).toEqual(['the config of cp-1']);
    expect(whats(observed(cp({ etcd: unknown('x') })))).toEqual(['etcd of cp-1']);
    expect(whats(observed(cp({ etcd: unknown('x'), services: [] })))).toEqual([]);
  });

  it.each(PARTS)('the part %s of the cluster, unless nothing needs it', (name) => {
    expect(whats(observed({ kubernetes: kubernetes({ [name]: unknown('500') }) }))).toHaveLength(1);
    expect(whats(observed({ kubernetes: kubernetes({ [name]: notAsked() }) }))).toEqual([]);
  });

  it.each(['roles', 'users', 'tokens', 'acl', 'pools'] as const)(
    'the part %s of the rights in Proxmox, unless what the design wants was seen',
    (name) => {
      const { access } = emptyProxmox();
      const wants = { ...access, [name]: unreadList('500') };
      expect(whats(observed({ access: wants }))).toHaveLength(1);
      expect(incompleteParts({ ...design, access: [] }, observed({ access: wants }))).toEqual([]);
      const seen = { seen: [['csi@pve', { id: 'csi@pve' }]], unlisted: '403' };
      expect(whats(observed({ access: { ...access, users: seen } }))).toEqual([]);
    },
  );

  it.each([
    ['quorate', unknown('500')],
    ['permissions', unknown('500')],
    ['replicated', unknown('500')],
    ['pciMappings', unknown('500')],
    ['systemImages', unknown('500')],
    ['ha', unknown('500')],
    ['bridges', { pve1: unknown('500') }],
    ['backup', { jobs: unknown('500'), newest: notAsked(), failedRuns: notAsked() }],
  ])('the part %s', (name, part) => {
    expect(whats(observed({ [name]: part }))).toHaveLength(1);
    expect(whats(observed({ [name]: part }), ['work-1'])).toEqual([]);
  });

  it('an object of oxherd.yaml', () => {
    const objects = {
      'v1 ConfigMap a': { state: 'unread', why: '500' },
      'v1 ConfigMap b': { state: 'absent' },
    };
    expect(whats(observed({ kubernetes: kubernetes({ objects }) }))).toEqual(['v1 ConfigMap a']);
  });

  it('all of Kubernetes if no API server answers and a control plane has, or may have, etcd data', () => {
    const silent = kubernetes({ endpoints: { '10.0.0.41': false } });
    const before = machine('configured', known({ ...DETAILS, services: [] }));
    expect(whats(observed({ kubernetes: silent }))).toEqual(['Kubernetes']);
    expect(whats(observed({ kubernetes: silent, machines: { 'cp-1': before } }))).toEqual([]);
    const closed = machine('configured', unknown('it refuses'));
    expect(whats(observed({ kubernetes: silent, machines: { 'cp-1': closed } }))).toEqual([
      'cp-1',
      'Kubernetes',
    ]);
  });

  it('of the nodes that a run is limited to', () => {
    const machines = { 'cp-1': machine('absent', unknown('x')), 'work-1': machine('configured') };
    const seen = observed({ machines, kubernetes: kubernetes({ nodes: unknown('x') }) });
    expect(whats(seen, ['work-1'])).toEqual([]);
    expect(whats(seen, ['cp-1'])).toEqual(['cp-1']);
  });

  it('never of a node that is off while its host is in maintenance', () => {
    const machines = { 'cp-1': machine('configured'), 'work-1': machine('absent', unknown('x')) };
    const nodes = known([{ name: 'work-1', ready: false, drained: true }]);
    const hosts = { pve1: { online: true }, pve2: { online: false } };
    expect(whats(observed({ machines, hosts }))).toEqual(['work-1']);
    expect(whats(observed({ machines, hosts, kubernetes: kubernetes({ nodes }) }))).toEqual([]);
  });
});

it.each([
  [[{ what: 'cp-1', node: 'cp-1', why: '' }], 'Could not compare 1 node.'],
  [
    [
      { what: 'the config of cp-1', node: 'cp-1', why: '' },
      { what: 'etcd of cp-1', node: 'cp-1', why: '' },
      { what: 'work-1', node: 'work-1', why: '' },
      { what: 'the Node objects', why: '' },
    ],
    'Could not compare 2 nodes and 1 part of the cluster.',
  ],
])('counts %j', (parts, text) => {
  expect(incompleteText(parts)).toBe(text);
});

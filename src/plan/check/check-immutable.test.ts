import { describe, expect, it } from 'vitest';
import { partOf } from '../../../test/support/part-of.js';
import { partVms } from '../../../test/support/plan/part-vms.js';
import { smbiosUuidOf } from '../../formats/marks/identities.js';
import type { Vmid } from '../../model/identity.js';
import type { PlanContext } from '../input.js';
import { immutableProblems } from './check-immutable.js';

type Document = Record<string, unknown>;

const main = (network: Document): Document => ({
  version: 'v1alpha1',
  cluster: {
    network: {
      dnsDomain: 'cluster.local',
      podSubnets: ['10.244.0.0/16'],
      serviceSubnets: ['10.96.0.0/12'],
      ...network,
    },
  },
});
const volume = (name: string, more: Document): Document => ({
  apiVersion: 'v1alpha1',
  kind: name === 'EPHEMERAL' || name === 'STATE' ? 'VolumeConfig' : 'UserVolumeConfig',
  name,
  ...more,
});
const LUKS = { provider: 'luks2', keys: [{ slot: 0, nodeID: {} }] };

const OTHER = '853ca362-f588-4c52-af66-13262197de84';
const uuidOf = (vmid: number) => smbiosUuidOf({ name: 'c', env: '' }, vmid as Vmid);

/** uuids of cp-1: that of its VM, and the one that is designed. */
interface Uuids {
  readonly has?: string;
  readonly wanted?: string;
}

function problems(
  from: Document[],
  to: Document[],
  asked: Partial<PlanContext['asked']> = {},
  { has = uuidOf(141), wanted = uuidOf(141) }: Uuids = {},
  volumes: { readonly id: string; readonly phase: string }[] = [],
) {
  const vm = (smbios1: string) => ({ config: { known: true as const, value: { values: { smbios1 } } } });
  const value = { hash: '', redacted: JSON.stringify(from) };
  const context = partOf<PlanContext>({
    design: {
      cluster: { name: 'c', env: '' },
      nodes: [
        {
          name: 'cp-1',
          role: 'controlplane',
          talosVm: { vmid: 141, options: { smbios1: `uuid=${wanted}` } },
        },
        { name: 'w-1', role: 'worker', talosVm: { vmid: 151, options: {} } },
      ],
    },
    observed: {
      vms: partVms({ vmid: 141, ...vm(`uuid=${has}`) }),
      machines: Object.fromEntries(
        ['cp-1', 'w-1'].map((name) => [
          name,
          { details: { known: true as const, value: { volumes, config: { known: true as const, value } } } },
        ]),
      ),
    },
    machines: {
      configs: { 'cp-1': { redacted: JSON.stringify(to) }, 'w-1': { redacted: JSON.stringify(to) } },
    },
    asked: { restart: [], replace: [], fresh: [], ...asked },
    resets: new Map(),
  });
  return immutableProblems(context);
}

describe('the uuid of a VM', () => {
  const told = (uuids: Uuids, from: Document[] = [main({})]) =>
    problems(from, from, {}, uuids).map(({ code, advice }) => [code, advice]);

  it('is that of its node, computed or written', () => {
    expect(told({})).toEqual([]);
    expect(told({ has: OTHER, wanted: OTHER })).toEqual([]);
  });

  it('is never changed to another one that is written', () => {
    expect(told({ wanted: OTHER })).toEqual([['immutable-uuid', `set nodes.cp-1.uuid: ${uuidOf(141)}`]]);
  });

  it('goes back to the computed one, unless disk keys come from it', () => {
    expect(told({ has: OTHER })).toEqual([]);
    const encrypted = [main({}), volume('EPHEMERAL', { encryption: LUKS })];
    expect(told({ has: OTHER }, encrypted)).toEqual([['immutable-uuid', `set nodes.cp-1.uuid: ${OTHER}`]]);
  });
});

describe('what cannot change on a running cluster', () => {
  it.each([
    [{ dnsDomain: 'lab.internal' }, 'cluster.domain'],
    [{ podSubnets: ['10.0.0.0/16'] }, 'cluster.podSubnets'],
    [{ serviceSubnets: ['10.97.0.0/16'] }, 'cluster.serviceSubnets'],
  ])('%j', (network, key) => {
    const [problem, ...more] = problems([main({})], [main(network)]);
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ code: 'immutable-network', scope: 'plan' });
    expect(problem?.message).toContain(key);
    expect(problem?.advice).toContain(`set ${key} back to`);
  });

  it('is written in documents of 1.14 too', () => {
    const kube = (dnsDomain: string) => ({ apiVersion: 'v1alpha1', kind: 'KubeNetworkConfig', dnsDomain });
    expect(problems([main({})], [kube('other.local')])).toHaveLength(1);
    expect(problems([kube('a.b')], [kube('a.b')])).toEqual([]);
  });

  it('goes with a new etcd', () => {
    expect(problems([main({})], [main({ dnsDomain: 'x' })], { fresh: ['cp-1', 'w-1'] })).toEqual([]);
    expect(problems([main({})], [main({ dnsDomain: 'x' })], { fresh: ['w-1'] })).toHaveLength(1);
  });

  it('refuses encryption and another file system of a volume that exists, with the way out', () => {
    const on = problems([volume('EPHEMERAL', {})], [volume('EPHEMERAL', { encryption: LUKS })]);
    expect(on.map(({ code, node }) => `${code} ${node}`)).toEqual([
      'immutable-volume cp-1',
      'immutable-volume w-1',
    ]);
    expect(on[0]?.advice).toContain('--fresh --only cp-1');
    const off = problems([volume('STATE', { encryption: LUKS })], [volume('STATE', {})]);
    expect(off[0]?.advice).toContain('oxherd replace cp-1');
    const other = problems(
      [volume('data', { filesystem: { type: 'xfs' } })],
      [volume('data', { filesystem: { type: 'ext4' } })],
    );
    expect(other[0]?.advice).toContain('another name');
    const key = { provider: 'luks2', keys: [{ slot: 0, static: { passphrase: '(redacted)#123456' } }] };
    expect(
      problems([volume('STATE', { encryption: LUKS })], [volume('STATE', { encryption: key })]),
    ).toHaveLength(2);
  });

  it.each([
    ['disk', 'partition'],
    ['partition', 'disk'],
    ['partition', 'directory'],
    ['directory', 'disk'],
    [undefined, 'disk'],
  ])('refuses another type of a volume that exists: %s to %s', (before, after) => {
    const typed = (volumeType?: string) => [volume('data', volumeType === undefined ? {} : { volumeType })];
    const found = problems(typed(before), typed(after));
    expect(found.map(({ code, node }) => `${code} ${node}`)).toEqual([
      'immutable-volume cp-1',
      'immutable-volume w-1',
    ]);
    expect(found[0]?.message).toContain(`${before ?? 'partition'} → ${after}`);
    expect(found[0]?.advice).toContain('another name');
    // Talos could not bring it up as that type: any other config is the way back.
    const broken = [{ id: 'u-data', phase: 'failed' }];
    expect(problems(typed(before), typed(after), {}, {}, broken)).toEqual([]);
    expect(problems(typed(before), typed(after), {}, {}, [{ id: 'u-data', phase: 'ready' }])).toHaveLength(2);
  });

  it('lets keys change while one stays in its slot: Talos opens the volume with that one', () => {
    const keys = (...list: object[]) => [volume('STATE', { encryption: { provider: 'luks2', keys: list } })];
    const nodeId = { slot: 0, nodeID: {} };
    const passphrase = (slot: number, hash: string) => ({
      slot,
      static: { passphrase: `(redacted)#${hash}` },
    });
    expect(problems(keys(nodeId), keys(nodeId, passphrase(1, 'a')))).toEqual([]);
    expect(problems(keys(nodeId, passphrase(1, 'a')), keys(passphrase(1, 'a')))).toEqual([]);
    expect(problems(keys(nodeId, passphrase(1, 'a')), keys(passphrase(0, 'a')))).toHaveLength(2);
    expect(problems(keys(passphrase(0, 'a')), keys(passphrase(0, 'b')))).toHaveLength(2);
  });

  it('leaves what a new disk brings, new volumes and sizes alone', () => {
    const to = [volume('EPHEMERAL', { encryption: LUKS })];
    expect(problems([volume('EPHEMERAL', {})], to, { fresh: ['cp-1', 'w-1'] })).toEqual([]);
    expect(
      problems([volume('STATE', {})], [volume('STATE', { encryption: LUKS })], { replace: ['cp-1', 'w-1'] }),
    ).toEqual([]);
    expect(problems([], [volume('data', { filesystem: { type: 'ext4' } })])).toEqual([]);
    expect(
      problems(
        [volume('data', { provisioning: { minSize: '1GiB' }, filesystem: {} }), volume('logs', {})],
        [
          volume('data', { provisioning: { minSize: '2GiB' }, filesystem: { type: 'xfs' } }),
          volume('logs', { filesystem: { type: 'xfs' } }),
        ],
      ),
    ).toEqual([]);
  });
});

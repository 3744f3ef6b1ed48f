import { describe, expect, it } from 'vitest';
import { partOf } from '../../../test/support/part-of.js';
import { partVms } from '../../../test/support/plan/part-vms.js';
import type { PlanContext } from '../input.js';
import { addressProblems } from './check-addresses.js';

interface Case {
  /** Addresses that oxherd.yaml has in place of .41, .42, .43. */
  readonly ips?: Readonly<Record<string, string>>;
  readonly endpoint?: string;
  /** Control planes that follow no leader. */
  readonly unhealthy?: readonly string[];
  readonly worker?: string;
  readonly off?: readonly string[];
}

const PLANES = ['cp-1', 'cp-2', 'cp-3'];
const MEMBERS = PLANES.map((name, index) => ({ id: String(index + 1), name, learner: false }));

function problems({ ips = {}, endpoint = '10.0.0.40', unhealthy = [], worker, off = [] }: Case) {
  const nodes = [
    ...PLANES.map((name, index) => ({
      name,
      role: 'controlplane' as const,
      ip: `10.0.0.4${index + 1}`,
      vmid: 141 + index,
    })),
    { name: 'work-1', role: 'worker' as const, ip: '10.0.0.51', vmid: 151 },
  ];
  const details = (name: string) => {
    const leader = unhealthy.includes(name) ? '' : '1';
    const memberId = MEMBERS.find((member) => member.name === name)?.id ?? '';
    const etcd = { known: true as const, value: { leader, memberId, members: MEMBERS, learner: false } };
    return { known: true as const, value: { etcd, services: [], volumes: [] } };
  };
  const context = partOf<PlanContext>({
    design: {
      nodes: nodes.map((node) => ({
        ...node,
        ip: ips[node.name] ?? (node.role === 'worker' ? (worker ?? node.ip) : node.ip),
        talosVm: { vmid: node.vmid, options: {} },
      })),
    },
    observed: {
      machines: Object.fromEntries(
        nodes.map(({ name, ip }) => [name, { presence: 'configured', address: ip, details: details(name) }]),
      ),
      vms: partVms(
        ...nodes.map(({ name, ip, vmid }) => ({
          vmid,
          status: off.includes(name) ? ('stopped' as const) : ('running' as const),
          config: {
            known: true as const,
            value: { values: { ipconfig0: `ip=${ip}/24,gw=10.0.0.254` }, pending: {} },
          },
        })),
      ),
    },
    machines: {
      configs: Object.fromEntries(
        nodes.map(({ name }) => [
          name,
          { redacted: `{"controlPlane": {"endpoint": "https://${endpoint}:6443"}}` },
        ]),
      ),
    },
  });
  return addressProblems(context);
}

const MOVED = { 'cp-2': '10.0.0.62' };
const RECIPE =
  'write ip: 10.0.0.42; or add a control plane with the new address, apply, then remove cp-2 from oxherd.yaml and apply';

describe('another address', () => {
  it('is given to workers, and to one control plane of three healthy ones behind a shared endpoint', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ worker: '10.0.0.61' })).toEqual([]);
    expect(problems({ ips: MOVED })).toEqual([]);
  });

  it.each<[string, Case, string]>([
    [
      'fewer than three healthy members',
      { ips: MOVED, unhealthy: ['cp-3'] },
      'etcd has 2 healthy members, and needs 3',
    ],
    [
      'an endpoint that is its own address',
      { ips: MOVED, endpoint: '10.0.0.42' },
      'the endpoint of the Kubernetes API is its own address 10.0.0.42',
    ],
    [
      'an endpoint that becomes its own address',
      { ips: MOVED, endpoint: '10.0.0.62' },
      'the endpoint of the Kubernetes API is its own address 10.0.0.62',
    ],
    [
      'an endpoint that is the address of another node',
      { ips: MOVED, endpoint: '10.0.0.41' },
      'the endpoint of the Kubernetes API is the address of cp-1, 10.0.0.41',
    ],
  ])('is refused for a control plane with %s, with the recipe', (_, now, why) => {
    expect(problems(now)).toEqual([
      {
        code: 'address-change',
        scope: 'plan',
        node: 'cp-2',
        message: `the address of control plane cp-2 cannot change from 10.0.0.42 to 10.0.0.62: ${why}`,
        advice: RECIPE,
      },
    ]);
  });

  it('is refused for two control planes at once', () => {
    const found = problems({ ips: { ...MOVED, 'cp-3': '10.0.0.63' } });
    expect(found.map(({ node }) => node)).toEqual(['cp-2', 'cp-3']);
    for (const { message } of found)
      expect(message).toContain('one control plane at a time can change its address');
  });

  it('waits for a machine that is off: nothing can tell it', () => {
    expect(problems({ worker: '10.0.0.61', off: ['work-1'] })).toMatchObject([
      { code: 'address-off', node: 'work-1', advice: 'write ip: 10.0.0.51, apply, then change the address' },
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { config, nic, nodeConfig } from '../../../test/support/design/config.js';
import { design } from '../../design/design-cluster.js';
import { known, unknown } from '../../observe/observed.js';
import type { ClusterFacts, NodeReach, ReachFacts } from './facts.js';
import { mtuChecks, reachChecks } from './reach-checks.js';

const node = (overrides: Partial<NodeReach> = {}): NodeReach => ({
  name: 'cp-1',
  address: '10.0.0.41',
  vmid: 141,
  runs: true,
  knock: 'answers',
  elsewhere: [],
  ...overrides,
});
const facts = (overrides: Partial<ReachFacts> = {}): ReachFacts => ({
  nodes: [],
  outside: [],
  dns: [],
  ...overrides,
});
const told = (reach: Partial<ReachFacts>) =>
  reachChecks(config(), facts(reach)).map(({ result, text }) => `${result} ${text}`);

describe('the network from this computer', () => {
  it.each<[string, NodeReach, RegExp | undefined]>([
    ['a node that answers', node(), undefined],
    ['a free address', node({ runs: false, knock: 'silent' }), undefined],
    [
      'an address that another machine has',
      node({ runs: false, knock: 'refused' }),
      /^fail 10\.0\.0\.41 is in use/,
    ],
    ['no route', node({ knock: 'no-route' }), /^fail this computer has no route/],
    [
      'a node that does not answer',
      node({ knock: 'silent' }),
      /^fail VM 141 \(cp-1\) runs, and nothing answers/,
    ],
    [
      'a DHCP lease',
      node({ knock: 'silent', elsewhere: ['10.0.0.200'] }),
      /^fail cp-1 has 10\.0\.0\.200 in place of/,
    ],
    ['a clock that is not set', node({ timeSynced: false }), /^warn cp-1 has not set its clock/],
  ])('%s', (_, seen, says) => {
    const wrong = told({ nodes: [seen] }).filter((line) => !line.startsWith('ok'));
    expect(wrong).toEqual(says ? [expect.stringMatching(says)] : []);
  });

  it('says with which command each finding is followed up', () => {
    const checks = reachChecks(
      config(),
      facts({
        nodes: [node({ runs: false, knock: 'answers' }), node({ knock: 'silent' })],
        outside: [
          { name: 'factory.talos.dev', factory: true, unresolved: 'ENOTFOUND' },
          { name: 'ghcr.io', factory: false, knock: 'silent' },
        ],
        dns: [{ server: '10.0.0.1', answers: false }],
      }),
    );
    expect(checks.filter(({ result }) => result !== 'ok')).toHaveLength(5);
    for (const { fix } of checks.filter(({ result }) => result !== 'ok')) expect(fix?.[0]).toBeTruthy();
  });

  it('an address of the API that is taken before there is a cluster', () => {
    const before = { nodes: [node({ runs: false, knock: 'silent' })] };
    expect(told({ ...before, vip: 'answers' }).join('\n')).toMatch(
      /^fail the address of the API, .* is in use/m,
    );
    expect(told({ ...before, vip: 'silent' }).join('\n')).toMatch(/^ok the address of the API, .* is free/m);
    expect(told({ nodes: [node()], vip: 'answers' }).join('\n')).not.toContain('the address of the API');
  });
});

describe('the MTU of a bridge', () => {
  const checks = (wanted: number | undefined, has: number | undefined) => {
    const nics = [{ ...nic, ...(wanted !== undefined && { mtu: wanted }) }];
    const nodes = [nodeConfig('cp-1', 141, 'controlplane', { nics })];
    const made = config({ nodes });
    const bridge = {
      iface: 'vmbr0',
      type: 'bridge',
      active: true,
      vlanAware: false,
      cidr: undefined,
      gateway: undefined,
    };
    const host = {
      version: unknown<string>('-'),
      clockAhead: known(0),
      storages: known([]),
      bridges: known([{ ...bridge, ...(has !== undefined && { mtu: has }) }]),
      cpuModels: known([]),
      volumes: {},
    };
    const cluster = {
      hosts: Object.fromEntries(nodes.map(({ host: name }) => [name, host])),
    } as unknown as ClusterFacts;
    return mtuChecks(made, design(made), cluster).map(({ result }) => result);
  };

  it('must take what the nodes send', () => {
    expect(checks(undefined, undefined)).toEqual([]);
    expect(checks(9000, undefined)).toEqual(['fail']);
    expect(checks(9000, 9000)).toEqual(['ok']);
    expect(checks(1450, undefined)).toEqual(['ok']);
  });
});

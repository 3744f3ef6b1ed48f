import { describe, expect, it } from 'vitest';
import { config, nodeConfig } from '../../../test/support/design/config.js';
import { builtProxmox } from '../../../test/support/plan/observed.js';
import { design } from '../../design/design-cluster.js';
import { known, type Observed } from '../../observe/observed.js';
import type { DrainDecision } from './decide-drain.js';
import { drainHealthProblems } from './drain-health.js';

const HOSTS = ['pve1', 'pve2', 'pve3'];
const CONFIG = config({
  nodes: HOSTS.flatMap((host, index) => [
    nodeConfig(`cp-${index + 1}`, 141 + index, 'controlplane', { host }),
    nodeConfig(`work-${index + 1}`, 151 + index, 'worker', { host }),
  ]),
});
const DESIGN = design(CONFIG);
const MEMBERS = ['cp-1', 'cp-2', 'cp-3'];

/** Everything is up but these. */
function seen(down: readonly string[]): Observed {
  const members = MEMBERS.map((hostname) => ({ id: hostname, hostname, learner: false }));
  const etcd = (memberId: string) =>
    known({
      memberId,
      leader: 'cp-1',
      learner: false,
      errors: [],
      raftIndex: '1',
      raftTerm: '1',
      members,
      alarms: [],
    });
  const up = MEMBERS.filter((name) => !down.includes(name));
  const nodes = DESIGN.nodes.map(({ name }) => ({ name, ready: !down.includes(name), systemUuid: '' }));
  return {
    ...builtProxmox(CONFIG),
    machines: Object.fromEntries(
      up.map((name) => [name, { details: known({ services: [], volumes: [], etcd: etcd(name) }) }]),
    ),
    kubernetes: { nodes: known(nodes) },
  } as unknown as Observed;
}

const going = (way: DrainDecision['way'], ...nodes: string[]): DrainDecision[] =>
  nodes.map((node) => ({
    node,
    role: node.startsWith('cp') ? 'controlplane' : 'worker',
    way,
    why: '',
    bytes: 0,
  }));
const said = (down: readonly string[], decisions: readonly DrainDecision[], workers = 1) =>
  drainHealthProblems(DESIGN, seen(down), decisions, { maxUnavailable: { workers } }).map(
    ({ message }) => message,
  );

describe('a host whose nodes are to be stopped', () => {
  it('is drained while all others are well, or its nodes keep running', () => {
    expect(said([], going('move', 'cp-2', 'work-2'))).toEqual([]);
    expect(said(['cp-1'], going('live', 'cp-2', 'work-2'))).toEqual([]);
    expect(said(['work-2'], going('stay', 'cp-2', 'work-2'))).toEqual([]);
  });

  it('is not drained while another node is away', () => {
    const away = 'work-1 is not Ready, and one node may be unavailable at a time';
    expect(said(['work-1'], going('move', 'cp-2'))).toEqual([away]);
    expect(said(['work-1'], going('move', 'work-2'))).toEqual([away]);
    expect(said(['work-1'], going('move', 'work-2', 'work-3'), 2)).toEqual([]);
    // One that stands there and is to move too.
    expect(said(['work-2'], going('move', 'cp-2', 'work-2'))).toHaveLength(1);
    expect(said(['work-2'], going('move', 'work-2'))).toEqual([]);
  });

  it('is not drained while etcd cannot spare its member', () => {
    expect(said(['cp-1'], going('move', 'cp-2'))[1]).toBe(
      '2 of 3 etcd members are needed, and without cp-2 only 1 would be healthy (cp-1 is not)',
    );
    expect(said(['cp-1'], going('stay', 'cp-2'))).toHaveLength(2);
    expect(said(['cp-1'], going('stay', 'work-2'))).toHaveLength(1);
  });
});

/** etcd, as all control planes together show it. */
import type { Design } from '../design/design.js';
import { isMemberOf } from '../model/node-names.js';
import { majorityOf } from '../model/quorum.js';
import type { Observed } from '../observe/observed.js';
import type { EtcdView } from '../observe/observed-machines.js';
import type { Condition } from './condition.js';
import type { DrainedNodes } from './drained.js';

/** Members that follow differ by a few entries while there is traffic. */
const LAG = 1_000n;

export function etcdConditions(
  design: Design,
  observed: Observed,
  drained: DrainedNodes = new Map(),
): Condition[] {
  const controlPlanes = design.nodes.filter((node) => node.role === 'controlplane');
  const views = controlPlanes.flatMap((node) => {
    const machine = observed.machines[node.name];
    const etcd = machine?.details.known ? machine.details.value.etcd : undefined;
    return etcd?.known ? [[node.name, etcd.value] as const] : [];
  });
  if (views.length === 0) {
    return [
      {
        layer: 'etcd',
        name: 'etcd-members',
        state: 'failed',
        message: 'no control plane answers for its etcd',
        advice: 'bring the control planes up; run `oxherd apply` if the cluster is new',
      },
    ];
  }
  const all = views.map(([, view]) => view);
  return [
    quorum(controlPlanes.length, views.length, all, offOnPurpose(controlPlanes, views, drained)),
    members(
      controlPlanes.map((node) => node.name),
      all,
    ),
    one(
      'etcd-leader',
      new Set(all.map((view) => view.leader)).size === 1 && all[0]?.leader !== '',
      'one leader',
      'the members do not agree on a leader',
    ),
    one(
      'etcd-no-learner',
      all.every((view) => view.members.every((member) => !member.learner)),
      'no learner',
      'a member is still a learner',
    ),
    one(
      'etcd-no-alarm',
      all.every((view) => view.alarms.length === 0),
      'no alarm',
      `alarms: ${[...new Set(all.flatMap((view) => view.alarms))].join(', ')}`,
    ),
    one('etcd-in-step', inStep(all), 'all members at the same place', 'a member lags behind the others'),
  ];
}

function one(name: string, ok: boolean, good: string, bad: string): Condition {
  return {
    layer: 'etcd',
    name,
    state: ok ? 'ok' : 'failed',
    message: ok ? good : bad,
    ...(ok ? {} : { advice: 'talosctl etcd status; talosctl etcd alarm list' }),
  };
}

/** The arithmetic in words: how many must stay, how many answer. */
function quorum(
  total: number,
  answering: number,
  views: readonly EtcdView[],
  off: readonly string[],
): Condition {
  const voters = Math.max(...views.map((view) => view.members.filter((member) => !member.learner).length));
  const needed = majorityOf(voters);
  const expected = off.length === 0 ? '' : `; ${off.join(', ')} ${off.length === 1 ? 'is' : 'are'} drained`;
  const message = `${needed} of ${voters} members are needed; ${answering} answer${expected}`;
  if (answering >= needed && off.length > 0 && answering + off.length >= total)
    return { layer: 'etcd', name: 'etcd-quorum', state: 'note', message };
  return {
    layer: 'etcd',
    name: 'etcd-quorum',
    state: answering >= total ? 'ok' : 'failed',
    message: answering < needed ? `quorum is lost: ${message}` : message,
    ...(answering >= total
      ? {}
      : {
          advice:
            answering - needed <= 0 ? 'take no other control plane down' : 'bring the missing member back',
        }),
  };
}

/** Those that do not answer because their host is in maintenance. */
function offOnPurpose(
  controlPlanes: readonly { readonly name: string }[],
  views: readonly (readonly [string, EtcdView])[],
  drained: DrainedNodes,
): string[] {
  return controlPlanes
    .map(({ name }) => name)
    .filter((name) => drained.has(name) && !views.some(([answering]) => answering === name));
}

function members(controlPlanes: readonly string[], views: readonly EtcdView[]): Condition {
  const names = [...new Set(views.flatMap((view) => view.members.map((member) => member.hostname)))].sort();
  const missing = controlPlanes.filter((node) => !names.some((name) => isMemberOf(node, name)));
  const extra = names.filter((name) => !controlPlanes.some((node) => isMemberOf(node, name)));
  const ok = missing.length === 0 && extra.length === 0;
  const parts = [
    ...(missing.length > 0 ? [`not members: ${missing.join(', ')}`] : []),
    ...(extra.length > 0 ? [`members that are not in oxherd.yaml: ${extra.join(', ')}`] : []),
  ];
  return {
    layer: 'etcd',
    name: 'etcd-members',
    state: ok ? 'ok' : 'failed',
    message: ok ? `${names.length} of ${controlPlanes.length} control planes are members` : parts.join('; '),
    ...(ok ? {} : { advice: 'talosctl etcd members' }),
  };
}

function inStep(views: readonly EtcdView[]): boolean {
  const places = views.map((view) => BigInt(view.raftIndex));
  const first = places[0] ?? 0n;
  const [low, high] = places.reduce(
    ([a, b], place) => [place < a ? place : a, place > b ? place : b],
    [first, first],
  );
  return high - low <= LAG;
}

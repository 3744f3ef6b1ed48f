/** From one reading to what the page draws: map, nodes, health, capacity, and what needs a person. */
import { pictureOf } from '../../../export/picture/picture.js';
import { type Condition, LAYERS } from '../../../health/condition.js';
import { counted } from '../../../model/count.js';
import { majorityOf } from '../../../model/quorum.js';
import { formatVersion } from '../../../model/version.js';
import type { RunSummary } from '../../../session/journal/run-summary.js';
import { hostStates, isDisruptive } from '../../../session/plan/index.js';
import type { ClusterSummary, ClusterView, HealthCounts, Need, Quorum } from '../../api.js';
import type { Reading } from '../reading.js';
import { planSummary } from './plan-view.js';

const DAY_MS = 24 * 3_600_000;

type Identity = Pick<ClusterSummary, 'id' | 'name' | 'config' | 'lab'>;
type LastRun = RunSummary & { readonly active: boolean };

export function clusterView(
  reading: Reading,
  summary: ClusterSummary,
  command: (text: string) => string,
): Omit<ClusterView, 'revision'> {
  const { config, status, prepared } = reading;
  const { design, observed, nodes, conditions } = status;
  const facts = {
    nodes: new Map(nodes.map(({ node, health, etcd }) => [node, { health, ...(etcd && { etcd }) }])),
    ...(prepared && { steps: prepared.plan.steps }),
  };
  const { csiVolumes } = prepared?.design ?? design;
  return {
    summary,
    picture: pictureOf(config, { ...design, csiVolumes }, observed, facts),
    nodes,
    hosts: hostStates(design, observed),
    conditions: conditions.filter(({ state }) => state !== 'ok' && state !== 'skipped'),
    layers: layersOf(conditions),
    commands: {
      status: command('oxherd status'),
      graph: command('oxherd graph --live --format svg'),
      capacity: command('oxherd capacity --live'),
    },
  };
}

export function summaryOf(
  identity: Identity,
  reading: Reading,
  lastRun: LastRun | undefined,
): ClusterSummary {
  const { config, status, prepared, lock, at } = reading;
  const quorum = quorumOf(reading);
  const ends = status.certificates.map(({ notAfter }) => notAfter);
  const known: Omit<ClusterSummary, 'needs'> = {
    ...identity,
    state: 'current',
    at,
    versions: `Talos ${formatVersion(config.talos.version)}, Kubernetes ${formatVersion(config.cluster.kubernetes)}`,
    health: countsOf(status.conditions),
    ...(quorum && { quorum }),
    hosts: Object.keys(status.observed.hosts).length,
    nodes: status.nodes.length,
    ...(prepared && { plan: planSummary(prepared.plan) }),
    ...(lock && { lock: lock.whose }),
    ...(ends.length > 0 && { certificateDays: Math.floor((Math.min(...ends) - at) / DAY_MS) }),
    ...(lastRun && { lastRun }),
  };
  return { ...known, needs: needsOf(known, reading) };
}

function countsOf(conditions: readonly Condition[]): HealthCounts {
  const counts = { ok: 0, failed: 0, unknown: 0, skipped: 0, note: 0 };
  for (const { state } of conditions) counts[state] += 1;
  return counts;
}

function layersOf(conditions: readonly Condition[]): ClusterView['layers'] {
  return LAYERS.flatMap((layer) => {
    const own = conditions.filter((each) => each.layer === layer && each.state !== 'skipped');
    const holds = own.filter(({ state }) => state === 'ok' || state === 'note').length;
    return own.length === 0 ? [] : [{ layer, holds, of: own.length }];
  });
}

/** A member that answers and has caught up counts; one that could not be asked does not. */
function quorumOf({ status }: Reading): Quorum | undefined {
  const planes = status.nodes.filter(({ role }) => role === 'controlplane');
  const healthy = planes.filter(({ etcd }) => etcd === 'leader' || etcd === 'member').length;
  if (planes.length === 0) return undefined;
  const members = planes.length;
  return { members, healthy, margin: healthy - majorityOf(members) };
}

function needsOf(
  { health, plan, lastRun, certificateDays }: Omit<ClusterSummary, 'needs'>,
  { planError, lock }: Reading,
): Need[] {
  const failed = health?.failed ?? 0;
  const unknown = health?.unknown ?? 0;
  const stopped = lastRun !== undefined && !lastRun.active && lastRun.outcome !== 'done';
  const needs: (Need | false | undefined)[] = [
    failed > 0 && { what: `${counted(failed, 'condition')} failed`, page: 'health', level: 'failed' },
    stopped && { what: `the last run ${outcomeWords(lastRun.outcome)}`, page: 'run', level: 'failed' },
    planError && { what: `no plan: ${planError.message}`, page: 'plan', level: 'failed' },
    plan !== undefined &&
      plan.problems > 0 && {
        what: `the plan has ${counted(plan.problems, 'problem')}`,
        page: 'plan',
        level: 'failed',
      },
    unknown > 0 && {
      what: `${counted(unknown, 'condition')} could not be read`,
      page: 'health',
      level: 'note',
    },
    plan !== undefined &&
      plan.incomplete > 0 && {
        what: `${counted(plan.incomplete, 'part')} could not be compared`,
        page: 'plan',
        level: 'note',
      },
    plan !== undefined &&
      plan.steps > 0 && {
        what: `${counted(plan.steps, 'step')} to apply${isDisruptive(plan.impact) ? `, up to ${plan.impact}` : ''}`,
        page: 'plan',
        level: 'note',
      },
    certificateDays !== undefined &&
      certificateDays < 30 && {
        what: `a certificate ends in ${counted(certificateDays, 'day')}`,
        page: 'health',
        level: 'note',
      },
    lock && { what: 'a run is under way', page: 'run', level: 'note' },
  ];
  return needs.filter((need): need is Need => typeof need === 'object');
}

function outcomeWords(outcome: RunSummary['outcome']): string {
  return outcome === 'unfinished'
    ? 'did not finish'
    : outcome === 'interrupted'
      ? 'was interrupted'
      : outcome;
}

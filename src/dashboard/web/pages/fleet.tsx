/** All clusters: what needs a person first, then one row each. */
import type { ClusterSummary, FleetView } from '../../api.js';
import { dateTime } from '../parts/format.js';
import { Card } from '../parts/notice.js';
import { type Level, levelOf, Status } from '../parts/status.js';
import { Table } from '../parts/table.js';
import { address } from '../state/router.js';

export function FleetPage({ fleet }: { readonly fleet: FleetView }) {
  const needs = fleet.clusters.flatMap((cluster) => cluster.needs.map((need) => ({ cluster, need })));
  const ranked = [...needs].sort(
    (a, b) => Number(b.need.level === 'failed') - Number(a.need.level === 'failed'),
  );
  return (
    <>
      <Card title="What needs you">
        {ranked.length === 0 ? (
          <p>
            <Status level="ok">Nothing. Every cluster is healthy and matches its config.</Status>
          </p>
        ) : (
          <ul class="needs">
            {ranked.map(({ cluster, need }) => (
              <li key={`${cluster.id} ${need.what}`}>
                <Status level={levelOf(need.level)}>
                  <a href={address(cluster.id, need.page)}>
                    {cluster.name}: {need.what}
                  </a>
                </Status>
              </li>
            ))}
          </ul>
        )}
      </Card>
      <Card title="Clusters">
        <Table name="Clusters" rows={fleet.clusters} columns={COLUMNS} />
      </Card>
    </>
  );
}

const COLUMNS = [
  {
    head: 'Cluster',
    cell: (cluster: ClusterSummary) => (
      <>
        <a href={address(cluster.id)}>{cluster.name}</a> {cluster.lab && <span class="tag">lab</span>}
      </>
    ),
  },
  { head: 'Health', cell: (cluster: ClusterSummary) => <Health cluster={cluster} /> },
  { head: 'Config', cell: (cluster: ClusterSummary) => <InSync cluster={cluster} /> },
  { head: 'Versions', cell: ({ versions = '' }: ClusterSummary) => versions },
  { head: 'Nodes', cell: ({ nodes }: ClusterSummary) => nodes ?? '', number: true },
  { head: 'Plan', cell: ({ plan }: ClusterSummary) => (plan && plan.steps > 0 ? plan.impact : '') },
  {
    head: 'Last run',
    cell: ({ lastRun }: ClusterSummary) =>
      lastRun ? `${lastRun.active ? 'running' : lastRun.outcome}, ${dateTime(lastRun.startedAt)}` : '',
  },
];

export function healthOf({ state, health, plan, error, reported }: ClusterSummary): {
  level: Level;
  text: string;
} {
  if (state === 'listed' && reported) return reported.health;
  if (state === 'reading') return { level: 'busy', text: 'reading' };
  if (state === 'failed' || !health) return { level: 'failed', text: error?.message ?? 'not read' };
  if (health.failed > 0) return { level: 'failed', text: `${health.failed} failed` };
  if (health.unknown > 0 || (plan?.incomplete ?? 0) > 0)
    return { level: 'unknown', text: `${health.unknown + (plan?.incomplete ?? 0)} unknown` };
  return { level: 'ok', text: 'healthy' };
}

export function syncOf({ state, plan, lock, reported }: ClusterSummary): { level: Level; text: string } {
  if (state === 'listed' && reported) return reported.sync;
  if (lock !== undefined) return { level: 'busy', text: 'a run is under way' };
  if (!plan) return { level: 'unknown', text: 'no plan' };
  if (plan.problems > 0) return { level: 'failed', text: `${plan.problems} problems` };
  if (plan.steps === 0 && plan.incomplete > 0)
    return { level: 'unknown', text: `${plan.incomplete} not compared` };
  return plan.steps === 0
    ? { level: 'ok', text: 'in sync' }
    : { level: 'note', text: `${plan.steps} ${plan.steps === 1 ? 'step' : 'steps'} to apply` };
}

function Health({ cluster }: { readonly cluster: ClusterSummary }) {
  const { level, text } = healthOf(cluster);
  return <Status level={level}>{text}</Status>;
}

function InSync({ cluster }: { readonly cluster: ClusterSummary }) {
  const { level, text } = syncOf(cluster);
  return <Status level={level}>{text}</Status>;
}

/** A change that is rehearsed on a twin of a lab first, and then carried out on the lab itself. */
import { requireConfig } from '../../src/cli/require-config.js';
import type { RunEvent } from '../../src/model/events.js';
import { openTwin, type TwinSession } from '../../src/session/rehearse/open-twin.js';
import type { Rehearsal } from '../../src/session/rehearse/rehearsal.js';
import { rehearse } from '../../src/session/rehearse/rehearse.js';
import { openSession } from '../../src/session/session.js';
import { testContext } from './cli/context.js';
import type { ClusterSite } from './cluster-site.js';

export interface RehearsedChange {
  readonly kind: 'refused' | 'nothing' | 'applied';
  readonly wrong: readonly string[];
}

/** Downtime that was foretold may differ by this part of it, or by the time in which a kubelet renews its lease. */
const TOLERANCE = 0.2;
const LEASE_MS = 10_000;

/** On a session that refuses every write, so that a rehearsal that changed anything would fail. */
export async function rehearseOn(site: ClusterSite): Promise<{
  readonly rehearsal?: Rehearsal;
  readonly planId: string;
  readonly refused: boolean;
}> {
  const { context } = testContext(site.folder.path, { lab: true });
  const loaded = requireConfig(context);
  const session = await openSession(loaded, site.target, { ...context, readOnly: true });
  try {
    const { plan } = await session.plan();
    const refused = plan.problems.some(({ scope }) => scope === 'plan');
    if (refused) return { planId: plan.planId, refused };
    const observation = await session.observation();
    const rehearsal = await rehearse(loaded, observation, { kind: 'converge' }, { plan, env: context.env });
    return { rehearsal, planId: plan.planId, refused };
  } finally {
    await session.close();
  }
}

/** Works on a twin of a site, which is only read. */
export async function onTwinOf<T>(site: ClusterSite, work: (opened: TwinSession) => Promise<T>): Promise<T> {
  const { context } = testContext(site.folder.path, { lab: true });
  const loaded = requireConfig(context);
  const session = await openSession(loaded, site.target, { ...context, readOnly: true });
  const observation = await session.observation();
  await session.close();
  const opened = await openTwin(loaded, observation, { env: {} });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** Rehearses, carries out, and compares: the same plan, the same order, about the same downtime. */
export async function rehearsedAndApplied(site: ClusterSite): Promise<RehearsedChange> {
  const { rehearsal, refused } = await rehearseOn(site);
  if (refused || !rehearsal) return { kind: 'refused', wrong: [] };
  if (!rehearsal.valid) return { kind: 'applied', wrong: [`not valid: ${rehearsal.differences.join('; ')}`] };
  if (rehearsal.outcome === 'nothing to do') return { kind: 'nothing', wrong: [] };
  const wrong = [
    ...(rehearsal.outcome === 'done' ? [] : [`the rehearsal ${rehearsal.outcome}`]),
    ...rehearsal.broken,
    ...rehearsal.left.map((line) => `left on the twin: ${line}`),
  ];
  const events: RunEvent[] = [];
  site.onPrint = (text) => {
    for (const line of text.split('\n').filter((one) => one.startsWith('{"type"')))
      events.push(JSON.parse(line));
  };
  const { exit, stdout, stderr } = await site.run('apply', '--yes', '--json');
  site.onPrint = () => {};
  if (exit !== 0)
    return { kind: 'applied', wrong: [...wrong, `exit ${exit}: ${stdout.slice(-300)}${stderr}`] };
  wrong.push(...otherOrder(rehearsal, events));
  return { kind: 'applied', wrong: [...wrong, ...downtimes(rehearsal, events)] };
}

/** Nodes go and come back in the same order, and each has its steps in the same order; lanes beside each other may mix. */
function otherOrder(rehearsal: Rehearsal, events: readonly RunEvent[]): string[] {
  const started = events.flatMap((event) =>
    event.type === 'step-started' ? [{ id: event.step, node: event.node ?? '' }] : [],
  );
  const foretold = rehearsal.steps.map(({ id, node = '' }) => ({ id, node }));
  const lanes = new Set([...started, ...foretold].map(({ node }) => node));
  const inLane = (steps: typeof started, lane: string) =>
    steps.filter(({ node }) => node === lane).map(({ id }) => id);
  const mixed = [...lanes].flatMap((lane) =>
    lane !== '' && inLane(started, lane).join() !== inLane(foretold, lane).join()
      ? [
          `order of ${lane}: ${inLane(foretold, lane).join()} was foretold, ${inLane(started, lane).join()} came`,
        ]
      : [],
  );
  const went = events.flatMap((event) => (event.type === 'node-away' ? [event.node] : []));
  const said = rehearsal.absences.map(({ node }) => node);
  return went.join() === said.join() ? mixed : [...mixed, `${said.join()} were to go, ${went.join()} went`];
}

function downtimes({ away }: Rehearsal, events: readonly RunEvent[]): string[] {
  return away.flatMap(({ node, ms }) => {
    const from = events.find((event) => event.type === 'node-away' && event.node === node)?.at ?? 0;
    const to = events.findLast((event) => event.type === 'node-back' && event.node === node)?.at ?? 0;
    const real = to - from;
    return Math.abs(real - ms) <= Math.max(TOLERANCE * real, LEASE_MS)
      ? []
      : [`${node}: down for ${real} ms, ${ms} were foretold`];
  });
}

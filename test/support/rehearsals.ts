/** A change that is rehearsed on a twin of a lab first, and then carried out on the lab itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { requireConfig } from '../../src/cli/require-config.js';
import { downtimesIn, timeAway } from '../../src/model/downtime.js';
import type { RunEvent } from '../../src/model/events.js';
import { openTwin, type TwinSession } from '../../src/session/rehearse/open-twin.js';
import type { Rehearsal } from '../../src/session/rehearse/rehearsal.js';
import { openSession } from '../../src/session/session.js';
import { testContext } from './cli/context.js';
import type { ClusterSite } from './cluster-site.js';
import { kubernetesOf } from './watcher.js';

export interface RehearsedChange {
  readonly kind: 'refused' | 'nothing' | 'applied';
  readonly wrong: readonly string[];
}

/** Downtime that was foretold may differ by this part of it, or by the time in which a kubelet renews its lease. */
const TOLERANCE = 0.2;
const LEASE_MS = 10_000;

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

/** A command, and how it is rehearsed. */
export interface RehearsedCommand {
  readonly rehearse: readonly string[];
  readonly run: readonly string[];
}

const APPLY: RehearsedCommand = { rehearse: [], run: ['apply', '--yes'] };

/** Rehearses, carries out, and compares: the same plan, the same order, about the same downtime. */
export async function rehearsedAndApplied(
  site: ClusterSite,
  { rehearse, run }: RehearsedCommand = APPLY,
): Promise<RehearsedChange> {
  const before = realState(site);
  const told = await site.run('rehearse', ...rehearse, '--json');
  const touched = realState(site) === before ? [] : ['the rehearsal changed the cluster'];
  // Where the plan is refused there is no document.
  const document: { rehearsal?: Rehearsal } = told.stdout.startsWith('{') ? JSON.parse(told.stdout) : {};
  const { rehearsal } = document;
  if (!rehearsal) return { kind: 'refused', wrong: touched };
  if (!rehearsal.valid) {
    const refused = rehearsal.differences.every((line) => line.startsWith('the plan is refused'));
    const plan = refused ? await site.run('plan') : undefined;
    if (plan?.stdout.includes('Cannot apply')) return { kind: 'refused', wrong: touched };
    return { kind: 'applied', wrong: [`not valid: ${rehearsal.differences.join('; ')}`] };
  }
  if (rehearsal.outcome === 'nothing to do') return { kind: 'nothing', wrong: touched };
  const wrong = [
    ...touched,
    ...rehearsal.broken,
    ...(rehearsal.outcome === 'done' ? rehearsal.left.map((line) => `left on the twin: ${line}`) : []),
  ];
  const events: RunEvent[] = [];
  site.onPrint = (text) => {
    for (const line of text.split('\n').filter((one) => one.startsWith('{"type"')))
      events.push(JSON.parse(line));
  };
  const { exit, stdout, stderr } = await site.run(...run, '--json');
  site.onPrint = () => {};
  // What the rehearsal did not get through does not go through either.
  const ended = exit === 0 ? 'done' : 'failed';
  if (ended !== rehearsal.outcome)
    wrong.push(`the rehearsal ${rehearsal.outcome}, the run ${ended}: ${stdout.slice(-300)}${stderr}`);
  // Adopting takes no one away and one plan may be followed by another: the first is what was rehearsed.
  const first = events.slice(0, events.findIndex(({ type }) => type === 'run-ended') + 1);
  wrong.push(...otherOrder(rehearsal, first));
  return { kind: 'applied', wrong: [...wrong, ...downtimes(rehearsal, first)] };
}

/** All that a command could change: Proxmox, machines, Kubernetes, and the files of the cluster. */
export function realState({ lab, room, etcd, folder }: ClusterSite): string {
  const { vms, volumes, pools, tasks, acls, users, tokens, roles } = lab.proxmox.pve.db;
  const { haResources, haRules, backupJobs, storages } = lab.proxmox.pve.db;
  const tables = [vms, volumes, pools, tasks, acls, users, tokens, roles, haResources, haRules, backupJobs];
  const rows = [...tables, storages, room.db.configs].map((table) => [...table.entries()]);
  const api = kubernetesOf(room);
  // Nodes and pods tell their state by themselves; what someone wrote stands in the rest.
  const objects = [
    'nodes',
    'pods',
    'secrets',
    'configmaps',
    'deployments.apps',
    'poddisruptionbudgets.policy',
  ].flatMap((resource) =>
    (api?.list(resource) ?? []).map(({ metadata: { name, labels, deletionTimestamp }, spec, data }) => [
      resource,
      name,
      labels,
      deletionTimestamp,
      spec,
      data,
    ]),
  );
  return JSON.stringify([rows, etcd.map(({ members }) => members), objects, ownFiles(folder.path)]);
}

/** Secrets, client files, journals and what the user wrote; not the lab itself, nor what a rehearsal notes of its own. */
function ownFiles(folder: string): [string, string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(?:prediction|chaos)\.json$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith(join('.oxherd', 'lab')) || path.split(sep).length > 3)
    .sort()
    .map((path) => [path, readFileSync(join(folder, path), 'base64')]);
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
    const real =
      timeAway(downtimesIn(events), events.at(-1)?.at ?? 0).find((one) => one.node === node)?.ms ?? 0;
    return Math.abs(real - ms) <= Math.max(TOLERANCE * real, LEASE_MS)
      ? []
      : [`${node}: down for ${real} ms, ${ms} were foretold`];
  });
}

/** The same situations with a node, a group of nodes or a volume taken out of the file: nothing is lost over it. */
import { parse, stringify } from 'yaml';
import { isMapping } from '../../../src/formats/text/mapping.js';
import type { Observed } from '../../../src/observe/observed.js';
import { findVm } from '../../../src/observe/observed-vms.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { Step, StepKind } from '../../../src/plan/steps.js';
import { preparePlan } from '../../../src/session/plan/prepare-plan.js';
import type { ClusterSite } from '../cluster-site.js';
import { RememberedReads } from '../remembered-reads.js';
import { isKnownLoss } from './known-failures.js';
import type { ReadState } from './read-situations.js';
import { type Seen, seen } from './read-verdict.js';

export interface LeftRun {
  plans: number;
  refused: number;
  readonly wrong: string[];
}

type Section = Record<string, Record<string, unknown>>;

/** Name of what was taken out → the file without it. */
export function filesWithout(text: string): [string, string][] {
  const file: unknown = parse(text);
  if (!isMapping(file)) return [];
  const nodes = sectionOf(file.nodes);
  const volumes = sectionOf(file.volumes);
  const write = (parts: object) => stringify({ ...file, ...parts }, { aliasDuplicateObjects: false });
  const without = (section: Section, gone: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(section).filter(([name]) => !gone(name)));
  const groups = [...new Set(Object.values(nodes).map(({ role }) => role))];
  return [
    ...Object.keys(nodes).map((name): [string, string] => [
      `node ${name}`,
      write({ nodes: without(nodes, (one) => one === name) }),
    ]),
    ...groups.map((role): [string, string] => [
      `all of ${String(role)}`,
      write({ nodes: without(nodes, (one) => nodes[one]?.role === role) }),
    ]),
    ...groups.map((role): [string, string] => [
      `others for ${String(role)}`,
      write({ nodes: Object.fromEntries(Object.entries(nodes).map((one) => replaced(one, role))) }),
    ]),
    ...Object.keys(volumes).map((name): [string, string] => [
      `volume ${name}`,
      write({ volumes: without(volumes, (one) => one === name) }),
    ]),
  ];
}

/** A new node with another id, name and address in its place. */
function replaced([name, values]: [string, Record<string, unknown>], role: unknown) {
  if (values.role !== role) return [name, values] as const;
  const { vmid, ip } = values;
  const last = Number(String(ip).split('.')[3]) + 100;
  return [
    `new-${name}`,
    { ...values, vmid: Number(vmid) + 200, ip: String(ip).replace(/\.\d+$/, `.${last}`) },
  ] as const;
}

function sectionOf(value: unknown): Section {
  return isMapping(value)
    ? Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, isMapping(entry) ? entry : {}]))
    : {};
}

export async function runLeft(states: readonly ReadState[], oneIn = 1): Promise<LeftRun> {
  const run: LeftRun = { plans: 0, refused: 0, wrong: [] };
  for (const state of states) {
    const cluster = await state.open();
    const reads = new RememberedReads();
    const built = cluster.config;
    try {
      for (const { name, text = built, request } of state.situations) {
        if (request) continue;
        const whole = await planned(cluster, text, reads);
        for (const [gone, file] of filesWithout(text)) {
          if (run.plans++ % oneIn !== 0) continue;
          const left = await planned(cluster, file, reads);
          if ('error' in left || left.value.plan.problems.length > 0) run.refused += 1;
          const wrong = lossesIn(whole, left).map(
            (line) => `${state.name} | ${name} | without ${gone}: ${line}`,
          );
          const open = wrong.filter((line) => !isKnownLoss(line));
          run.wrong.push(...open);
          for (const line of open) process.stderr.write(`${line}\n`);
        }
      }
    } finally {
      await cluster.remove();
    }
  }
  return run;
}

type Made = { readonly plan: Plan; readonly observed: Observed };

function planned(cluster: ClusterSite, text: string, reads: RememberedReads): Promise<Seen<Made>> {
  cluster.config = text;
  return seen(() => cluster.connected((site) => preparePlan(reads.of(site))));
}

/** Kinds that a file with less in it never leads to. */
const NEVER: ReadonlySet<StepKind> = new Set([
  'bootstrap',
  'renew-drive',
  'destroy-data-vm',
  'delete-volume',
  'forget-volume',
  'release-vm',
  'delete-csi-volume',
  'adopt-volume',
  'adopt-vm',
]);

/** The members that are there start again with their data; nothing is bootstrapped. */
const RESUMES = /^wait until etcd has resumed/;

function lossesIn(whole: Seen<Made>, left: Seen<Made>): string[] {
  if ('error' in left) return left.error === '' ? ['refused without a word'] : [];
  const { plan, observed } = left.value;
  const known = new Set('value' in whole ? whole.value.plan.steps.map(({ id }) => id) : []);
  const refusals = plan.problems.flatMap(({ code, message, advice }) => [
    ...(code === 'plan-unsafe' ? [message] : []),
    ...(advice.trim() === '' ? [`no advice: ${message}`] : []),
  ]);
  return [
    ...refusals,
    ...plan.steps.flatMap((step) => (known.has(step.id) ? [] : lossBy(step, plan, observed))),
  ];
}

function lossBy(step: Step, { steps }: Plan, observed: Observed): string[] {
  if (NEVER.has(step.kind) && !RESUMES.test(step.title)) return [`${step.id} (${step.title})`];
  if (step.kind !== 'destroy-talos-vm') return [];
  const answer = findVm(observed, step.vmid);
  if (answer.state !== 'present' || answer.vm.status === 'stopped') return [];
  const before = stepsBefore(step, steps);
  return before.some((one) => one.kind === 'retire-node' && one.vmid === step.vmid)
    ? []
    : [`${step.id}: nothing takes the node from the cluster first`];
}

function stepsBefore(step: Step, steps: readonly Step[]): Step[] {
  const byId = new Map(steps.map((one) => [one.id, one]));
  const found = new Map<string, Step>();
  const visit = (ids: readonly string[]) => {
    for (const id of ids) {
      const one = byId.get(id);
      if (!one || found.has(id)) continue;
      found.set(id, one);
      visit(one.needs);
    }
  };
  visit(step.needs);
  return [...found.values()];
}

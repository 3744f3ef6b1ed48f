/**
 * The id of a plan: a hash over all that decides what it does. Words for people, limits and notes are left out, and so
 * is everything that no step relies on, so that the same effect has the same id.
 */
import { canonicalJson } from '../design/canonical-json.js';
import type { Design } from '../design/design.js';
import type { KubernetesDesign } from '../design/kubernetes/kubernetes-design.js';
import { refKey } from '../design/kubernetes/managed-object.js';
import { sha256Hex } from '../formats/text/hash.js';
import { isMapping } from '../formats/text/mapping.js';
import type { DesiredMachines } from './input.js';
import type { Plan } from './plan.js';

/** Of a step: written for its reader, or derived from the rest. */
const WORDS = ['title', 'reasons', 'drift', 'load', 'diff'] as const;

/** A plan without its id, or one that was read from a file. */
export interface Identified {
  readonly cluster: Plan['cluster'];
  readonly action: string;
  readonly desired: string;
  readonly steps: readonly { readonly id: string }[];
}

export function planIdOf({ cluster, action, desired, steps }: Identified): string {
  const essence = { format: 2, cluster, action, desired, steps: [...essencesOf(steps)].sort(byId) };
  return sha256Hex(withoutSecretMarks(canonicalJson(essence)));
}

/** Over everything that oxherd.yaml asks for; configs are hashed with the cluster's secrets replaced by their names. */
export function desiredDigest(
  design: Design,
  { machines, kubernetes }: { readonly machines?: DesiredMachines; readonly kubernetes?: KubernetesDesign },
): string {
  const configs = Object.entries(machines?.configs ?? {}).map(([node, { hash }]) => [node, hash]);
  const objects = (kubernetes?.objects ?? []).map(({ ref, hash }) => [refKey(ref), hash]);
  const cilium = kubernetes?.cilium?.hash ?? null;
  const gitops = kubernetes?.gitops && { gitops: kubernetes.gitops.hash };
  return sha256Hex(withoutSecretMarks(canonicalJson({ design, configs, objects, cilium, ...gitops })));
}

/** What the two plans do differently, one line for each step. */
export function differingSteps(
  saved: Pick<Identified, 'steps'>,
  now: Pick<Identified, 'steps'>,
  name = 'the saved plan',
): string[] {
  const before = essencesOf(saved.steps);
  const after = essencesOf(now.steps);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
    const [old, fresh] = [before.get(id), after.get(id)];
    if (!old) return [`+ ${id}: not in ${name}`];
    if (!fresh) return [`- ${id}: no longer needed`];
    const keys = [...new Set([...Object.keys(old), ...Object.keys(fresh)])].filter(
      (key) => textOf(old[key]) !== textOf(fresh[key]),
    );
    return keys.length === 0 ? [] : [`~ ${id}: ${keys.map((key) => wordsFor(key, old, fresh)).join(', ')}`];
  });
}

function wordsFor(
  key: string,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string {
  const [old, fresh] = [before[key], after[key]];
  const short = [old, fresh].every((value) =>
    ['string', 'number', 'boolean', 'undefined'].includes(typeof value),
  );
  return short ? `${key} ${String(old)} → ${String(fresh)}` : `${key} differs`;
}

type Fields = Readonly<Record<string, unknown>>;

function byId([a]: readonly [string, Fields], [b]: readonly [string, Fields]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** By id. The order of the steps is in their needs. */
function essencesOf(steps: Identified['steps']): ReadonlyMap<string, Fields> {
  const fields = new Map(steps.map((step) => [step.id, fieldsOf(step)]));
  return new Map([...fields].map(([id, step]) => [id, essenceOf(step, fields)]));
}

/**
 * Which control plane has its turn first follows the leader of etcd, which may be another one in the next minute: that
 * they have their turns one after the other, and the rest after them, is what counts.
 */
function essenceOf(step: Fields, all: ReadonlyMap<string, Fields>): Fields {
  const needs = Array.isArray(step.needs) ? step.needs.map(String) : [];
  const elsewhere = (need: string) => all.get(need)?.node !== step.node;
  if (beginsPlaneTurn(step)) {
    const own = needs.filter((need) => !elsewhere(need) || all.get(need)?.kind === 'take-snapshot');
    return { ...step, needs: own.sort(), ...(step.controlPlanes !== undefined && { controlPlanes: 'all' }) };
  }
  const told = needs.map((need) =>
    elsewhere(need) && endsPlaneTurn(all.get(need)) ? 'the turns of the control planes' : need,
  );
  return { ...step, needs: [...new Set(told)].sort() };
}

function beginsPlaneTurn(step: Fields): boolean {
  return (step.kind === 'begin-disruption' && step.role === 'controlplane') || restartsPlane(step);
}

function endsPlaneTurn(step: Fields | undefined): boolean {
  return (
    step !== undefined &&
    ((step.kind === 'end-disruption' && step.role === 'controlplane') || restartsPlane(step))
  );
}

function restartsPlane({ kind, impact, restarts }: Fields): boolean {
  return (
    kind === 'change-config' &&
    impact === 'component' &&
    isMapping(restarts) &&
    restarts.role === 'controlplane'
  );
}

/** Where files of this computer are: the same plan has the same id in another folder. */
const PLACES: Readonly<Record<string, string>> = { 'create-secrets': 'path', 'write-client-files': 'folder' };

function fieldsOf(step: { readonly id: string; readonly kind?: unknown }): Fields {
  const left = new Set<string>([...WORDS, PLACES[String(step.kind)] ?? '']);
  return Object.fromEntries(Object.entries(step).filter(([key]) => !left.has(key)));
}

function textOf(value: unknown): string {
  return withoutSecretMarks(canonicalJson(value ?? null));
}

/**
 * A VM notes with which secrets it was made, and beside it a short hash of that description; a rehearsal has secrets of
 * its own.
 */
function withoutSecretMarks(text: string): string {
  return text
    .replaceAll(/(secrets(?: |":"))[0-9a-f]{16,}/g, '$1')
    .replaceAll(/( description=)[0-9a-f]{6}\b/g, '$1');
}

/**
 * The id of a plan: a hash over all that decides what it does. Words for people, limits and notes are left out, and so
 * is everything that no step relies on, so that the same effect has the same id.
 */
import { canonicalJson } from '../design/canonical-json.js';
import type { Design } from '../design/design.js';
import type { KubernetesDesign } from '../design/kubernetes/kubernetes-design.js';
import { refKey } from '../design/kubernetes/managed-object.js';
import { sha256Hex } from '../formats/text/hash.js';
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
  const essence = { format: 2, cluster, action, desired, steps: steps.map(essenceOf) };
  return sha256Hex(withoutSecretMarks(canonicalJson(essence)));
}

/** Over everything that the file asks for; configs are hashed with the cluster's secrets replaced by their names. */
export function desiredDigest(
  design: Design,
  { machines, kubernetes }: { readonly machines?: DesiredMachines; readonly kubernetes?: KubernetesDesign },
): string {
  const configs = Object.entries(machines?.configs ?? {}).map(([node, { hash }]) => [node, hash]);
  const objects = (kubernetes?.objects ?? []).map(({ ref, hash }) => [refKey(ref), hash]);
  const cilium = kubernetes?.cilium?.hash ?? null;
  return sha256Hex(withoutSecretMarks(canonicalJson({ design, configs, objects, cilium })));
}

/** What the two plans do differently, one line for each step. */
export function differingSteps(saved: Identified, now: Identified): string[] {
  const before = new Map(saved.steps.map((step) => [step.id, step]));
  const after = new Map(now.steps.map((step) => [step.id, step]));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
    const [was, is] = [before.get(id), after.get(id)];
    if (!was) return [`+ ${id}: not in the saved plan`];
    if (!is) return [`- ${id}: no longer needed`];
    const [old, fresh] = [fieldsOf(was), fieldsOf(is)];
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

function essenceOf(step: { readonly id: string }): Readonly<Record<string, unknown>> {
  const { needs, ...rest } = fieldsOf(step);
  return { ...rest, needs: Array.isArray(needs) ? [...needs].sort() : [] };
}

function fieldsOf(step: { readonly id: string }): Readonly<Record<string, unknown>> {
  const left = new Set<string>(WORDS);
  return Object.fromEntries(Object.entries(step).filter(([key]) => !left.has(key)));
}

function textOf(value: unknown): string {
  return withoutSecretMarks(canonicalJson(value ?? null));
}

/** A data VM notes with which secrets it was made; a rehearsal has others of its own. */
function withoutSecretMarks(text: string): string {
  return text.replaceAll(/secrets [0-9a-f]{16,}/g, 'secrets');
}

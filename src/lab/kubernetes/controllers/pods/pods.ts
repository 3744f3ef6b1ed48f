import { hashParts } from '../../../../formats/text/hash.js';
import { at, listOf, type Obj, objOf, sameJson, stableText, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { isTrue } from '../world.js';

export function isOver(pod: KubeObject): boolean {
  const phase = at(pod, 'status', 'phase');
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Neither over nor on its way out. */
export function isActive(pod: KubeObject): boolean {
  return !isOver(pod) && pod.metadata.deletionTimestamp === undefined;
}

export function isReady(pod: KubeObject): boolean {
  return isTrue(pod, 'Ready');
}

/** Ready for as long as the workload wants. */
export function isAvailable(pod: KubeObject, minReadySeconds: number, now: number): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const ready = listOf(at(pod, 'status', 'conditions'))
    .map(objOf)
    .find((condition) => condition.type === 'Ready');
  const since = Date.parse(textOf(ready?.lastTransitionTime));
  return Number.isNaN(since) || since + minReadySeconds * 1000 <= now;
}

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Ten letters that name a pod template; not Kubernetes' own hash, but as stable. */
export function templateHash(template: Obj): string {
  const hex = hashParts([stableText(template)]);
  return Array.from({ length: 10 }, (_, i) => {
    return ALPHABET[Number.parseInt(hex.slice(i * 4, i * 4 + 4), 16) % ALPHABET.length] ?? 'b';
  }).join('');
}

/** A pod of a workload's template. */
export function podFrom(
  template: Obj,
  owner: object,
  extra: { generateName?: string; name?: string; labels?: Obj },
): Obj {
  const metadata = objOf(template.metadata);
  const { labels, ...names } = extra;
  return {
    metadata: {
      ...names,
      labels: { ...objOf(metadata.labels), ...labels },
      ...(metadata.annotations ? { annotations: metadata.annotations } : {}),
      ...(metadata.finalizers ? { finalizers: metadata.finalizers } : {}),
      ownerReferences: [owner],
    },
    spec: structuredClone(objOf(template.spec)),
  };
}

function withoutLabel(template: Obj, label: string): Obj {
  const metadata = objOf(template.metadata);
  const { [label]: _, ...labels } = objOf(metadata.labels);
  return { ...template, metadata: { ...metadata, labels } };
}

export function sameTemplate(a: unknown, b: unknown): boolean {
  const plain = (template: unknown) => withoutLabel(objOf(template), 'pod-template-hash');
  return sameJson(plain(a), plain(b));
}

/** Which pods go first when there are too many: those that do least. */
export function leastUsefulFirst(pods: readonly KubeObject[]): KubeObject[] {
  const rank = (pod: KubeObject) =>
    (textOf(at(pod, 'spec', 'nodeName')) === '' ? 0 : 4) +
    (at(pod, 'status', 'phase') === 'Running' ? 2 : 0) +
    (isReady(pod) ? 1 : 0);
  return [...pods].sort((a, b) => {
    const younger = textOf(a.metadata.creationTimestamp) > textOf(b.metadata.creationTimestamp) ? -1 : 1;
    return rank(a) - rank(b) || younger;
  });
}

/** `25%` of a number or the number itself. */
export function share(value: unknown, of: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = Number.parseFloat(textOf(value));
  if (Number.isNaN(percent)) return 0;
  const part = (of * percent) / 100;
  return round === 'up' ? Math.ceil(part) : Math.floor(part);
}

/** Zeros are left out, as `omitempty` does. */
export function counts(values: Record<string, number>): Obj {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== 0));
}

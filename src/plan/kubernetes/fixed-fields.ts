/** What Kubernetes never changes of a PersistentVolume that is there: said in the plan, not by a step that fails. */
import { type ManagedObject, refText } from '../../design/kubernetes/managed-object.js';
import type { Observed } from '../../observe/observed.js';
import type { ObservedObject } from '../../observe/observed-kubernetes.js';
import { volumeRemoval } from '../facts/volume-removal.js';
import type { Problem } from '../plan.js';
import { missingIn } from './object-difference.js';

const FIXED = /^spec\.csi\b/;
const ATTRIBUTES = /^spec\.csi\.volumeAttributes\b/;

/** Paths of the object that would have to change and cannot. A key that goes counts as well as one that comes. */
export function fixedFields({ ref, object }: ManagedObject, { live }: ObservedObject): string[] {
  if (ref.kind !== 'PersistentVolume' || !live) return [];
  const come = missingIn(object, live).filter((path) => FIXED.test(path));
  const go = missingIn(live, object).filter((path) => ATTRIBUTES.test(path));
  return [...new Set([...come, ...go])].sort();
}

export function cannotChange(
  observed: Pick<Observed, 'kubernetes'>,
  { ref, origin }: ManagedObject,
  fields: readonly string[],
): Problem {
  return {
    code: 'fixed-field',
    scope: 'plan',
    message: `${refText(ref)} is there, and Kubernetes does not change ${fields.join(', ')} of it (${origin})`,
    advice: `stop what uses it, delete the volume (its disk is kept): ${volumeRemoval(observed, ref.name)}; then run apply; or revert the change in oxherd.yaml`,
  };
}

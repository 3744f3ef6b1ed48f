/** What Kubernetes never changes of a PersistentVolume that is there: said in the plan, not by a step that fails. */
import { type ManagedObject, refText } from '../../design/kubernetes/managed-object.js';
import type { ObservedObject } from '../../observe/observed-kubernetes.js';
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

export function cannotChange({ ref, origin }: ManagedObject, fields: readonly string[]): Problem {
  return {
    code: 'fixed-field',
    scope: 'plan',
    message: `${refText(ref)} is there, and Kubernetes does not change ${fields.join(', ')} of it (${origin})`,
    advice: `stop what uses it, delete its claim and then the volume (kubectl delete pv ${ref.name}: its disk is kept) and apply again; or revert the change in oxherd.yaml`,
  };
}

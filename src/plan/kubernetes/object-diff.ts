/** Why an object is applied: it is new, oxherd.yaml has changed, or someone changed or deleted it. */

import { FIELD_OWNER, type ManagedObject, refKey, refText } from '../../design/kubernetes/managed-object.js';
import { findObject, type ObservedObject } from '../../observe/observed-kubernetes.js';
import { volumeRemoval } from '../facts/volume-removal.js';
import type { Draft } from '../planned.js';
import type { DriftAuthor } from '../step-base.js';
import { takenFields } from './field-ownership.js';
import { cannotChange, fixedFields } from './fixed-fields.js';
import type { KubernetesDraft } from './kubernetes-part.js';
import { missingIn } from './object-difference.js';

interface ApplyReason {
  readonly isNew: boolean;
  readonly reasons: readonly string[];
  readonly by?: DriftAuthor;
}

/** `undefined`: it is there as oxherd.yaml asks, or must not be touched. */
export function whyApply(plan: KubernetesDraft, object: ManagedObject): ApplyReason | undefined {
  const { context, there } = plan;
  if (!there) return { isNew: true, reasons: [`${object.origin}; it may not be there`] };
  const seen = findObject(there, object.ref);
  if (seen.state === 'unread' || object.undecided !== undefined) {
    const why = seen.state === 'unread' ? seen.why : object.undecided;
    context.notes.push({ code: 'unknown', message: `${refText(object.ref)} could not be compared: ${why}` });
    return undefined;
  }
  if (seen.state === 'absent') {
    return wasThere(plan, object)
      ? { isNew: true, reasons: [`${object.origin}; deleted since`], by: 'hand' }
      : { isNew: true, reasons: [`${object.origin}; missing`] };
  }
  if (isAnotherVolume(context, object, seen.value)) return undefined;
  if (seen.value.hash !== object.hash) {
    if (hasGrownItself(object, seen.value)) return undefined;
    const fixed = fixedFields(object, seen.value);
    if (fixed.length > 0) {
      context.problems.push(cannotChange(context.observed, object, fixed));
      return undefined;
    }
    return { isNew: false, reasons: [`${object.origin} has changed`] };
  }
  if (!isOurs(object)) {
    noteTaken(context, object, seen.value);
    return undefined;
  }
  const drift = seen.value.live ? missingIn(object.object, seen.value.live) : [];
  return drift.length === 0
    ? undefined
    : { isNew: false, reasons: drift.map((path) => `${path} differs from what was applied`), by: 'hand' };
}

/**
 * Objects of one part of oxherd.yaml come together. Where all the others are as oxherd.yaml asks, this one was there too; and
 * the PersistentVolume of a disk that is there was made with the disk.
 */
function wasThere({ context, design, there }: KubernetesDraft, { ref, origin }: ManagedObject): boolean {
  if (ref.kind === 'PersistentVolume' && origin === 'volumes') {
    const volume = context.design.csiVolumes.find((candidate) => candidate.name === ref.name);
    return !context.list.steps.some(
      (step) => step.kind === 'create-csi-volume' && step.volumeName === volume?.volumeName,
    );
  }
  const others = design.objects
    .filter((other) => other.origin === origin && refKey(other.ref) !== refKey(ref))
    .map((other) => ({ other, seen: there && findObject(there, other.ref) }));
  const isCurrent = ({ other, seen }: (typeof others)[number]) =>
    seen?.state === 'absent' || (seen?.state === 'present' && (seen.value.hash ?? other.hash) === other.hash);
  return others.some(({ seen }) => seen?.state === 'present') && others.every(isCurrent);
}

/** The driver's resizer has brought a PersistentVolume to the size that its disk has: only our hash is an older one. */
function hasGrownItself({ ref, origin, object }: ManagedObject, seen: ObservedObject): boolean {
  if (ref.kind !== 'PersistentVolume' || origin !== 'volumes' || !seen.live) return false;
  const { annotations: _, ...metadata } = object.metadata;
  return missingIn({ ...object, metadata }, seen.live).length === 0;
}

/** What else is applied are manifests of the user's own. */
function isOurs({ origin }: ManagedObject): boolean {
  return origin.startsWith('kubernetes.') || origin === 'volumes';
}

/**
 * Of manifests of the user's own only the hash counts, and who owns their fields is told: a person who tries something
 * and an operator that does its work look the same from here, and to undo the one every time would be to fight the other.
 */
function noteTaken({ notes }: Draft, { object, ref, origin }: ManagedObject, seen: ObservedObject): void {
  const taken = takenFields(object, seen.live, FIELD_OWNER);
  if (taken.length === 0) return;
  const fields = taken.map(({ path, by }) => (by === undefined ? `${path} (removed)` : `${path} (${by})`));
  notes.push({
    code: 'drift',
    message: `${refText(ref)} of ${origin} was changed in the cluster: ${fields.join(', ')}; that stays until the manifest changes, because it may be the work of a controller`,
  });
}

/** A PersistentVolume can never come to mean another disk. */
function isAnotherVolume(
  { problems, observed }: Draft,
  { ref, object }: ManagedObject,
  seen: ObservedObject,
): boolean {
  if (ref.kind !== 'PersistentVolume' || !seen.live) return false;
  const [wanted, has] = [object, seen.live].map(handleIn);
  if (wanted === undefined || has === undefined || wanted === has) return false;
  problems.push({
    code: 'other-volume',
    scope: 'plan',
    message: `PersistentVolume ${ref.name} means ${has}; oxherd.yaml says ${wanted}`,
    advice: `restore host and storage; or move the data, stop what uses it, delete the PersistentVolume (its disk is kept): ${volumeRemoval(observed, ref.name)}; then run apply`,
  });
  return true;
}

function handleIn(object: Readonly<Record<string, unknown>>): string | undefined {
  const text = /"volumeHandle":"([^"]*)"/.exec(JSON.stringify(object.spec ?? {}));
  return text?.[1];
}

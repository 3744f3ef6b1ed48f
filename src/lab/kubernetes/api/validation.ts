import { metadataErrors } from '../kinds/names.js';
import type { ResourceType } from '../kinds/resource-type.js';
import type { KubeObject } from '../object.js';
import { missingFields } from '../schema/required.js';
import { invalid } from '../status.js';

/** Throws the 422 with all faults of an object; `old`: what it replaces. */
export function validateObject(type: ResourceType, object: KubeObject, old: KubeObject | undefined): void {
  const errors = metadataErrors(
    object.metadata,
    type.rules.freeName ? 'any' : (type.rules.name ?? 'subdomain'),
  );
  const own = type.rules.validate?.(object) ?? [];
  const changed = old ? (type.rules.validateUpdate?.(object, old) ?? []) : [];
  const reported = new Set([...own, ...changed].map((error) => error.field));
  const { status: _, ...given } = object;
  // A custom kind's schema says itself what it requires.
  const missing = type.custom
    ? []
    : missingFields(given, type.schema, '').filter(({ field }) => !reported.has(field));
  const all = [...errors, ...missing, ...own, ...changed];
  if (all.length > 0) throw invalid(type.group, type.kind, object.metadata.name, all);
}

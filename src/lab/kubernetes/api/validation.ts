import { metadataErrors } from '../kinds/names.js';
import type { ResourceType } from '../kinds/resource-type.js';
import type { KubeObject } from '../object.js';
import { missingFields } from '../schema/required.js';
import { type FieldError, invalid } from '../status.js';

/** Throws the 422 with all faults of an object; `old`: what it replaces. */
export function validateObject(
  type: ResourceType,
  object: KubeObject,
  old: KubeObject | undefined,
  warn?: (text: string) => void,
  subresource = '',
): void {
  const errors = metadataErrors(object.metadata, {
    name: type.rules.name ?? 'subdomain',
    builtIn: type.custom === undefined,
    old: old?.metadata,
  });
  const found = type.rules.validate?.(object, old, warn) ?? [];
  const own = type.custom && subresource === 'status' ? found.map(withinStatus) : found;
  const changed = old ? (type.rules.validateUpdate?.(object, old) ?? []) : [];
  const both = type.rules.changesFirst ? [...changed, ...own] : [...own, ...changed];
  const reported = new Set([...errors, ...both].map((error) => error.field));
  const { status: _, ...given } = object;
  // A custom kind's schema says itself what it requires; the rules that are generated from the types come last.
  const missing =
    type.custom || type.rules.checksAll
      ? []
      : missingFields(given, type.schema, '').filter(({ field }) => !reported.has(field));
  const all = [...errors, ...both, ...missing];
  const group = type.rules.faultGroup ?? type.group;
  if (all.length > 0) throw invalid(group, type.kind, object.metadata.name, all);
}

/** The status of a custom kind is judged by its own part of the schema, which knows nothing of the rest. */
function withinStatus(error: FieldError): FieldError {
  return { ...error, detail: error.detail.replace(/: status\.(?=\S+ in body )/, ': ') };
}

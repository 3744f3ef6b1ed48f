/** JSON with sorted keys: the same value gives the same bytes. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** Sorted first and written then: a replacer would be called for every value. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  if (Array.isArray(value)) return value.map(sorted);
  // Without a prototype, so that no key means more than its name.
  const fields: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) fields[key] = sorted((value as typeof fields)[key]);
  return fields;
}

/** JSON with sorted keys: the same value gives the same bytes. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** Sorted first and written then: a replacer would be called for every value. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const fields = Object.entries(value);
  return Object.fromEntries(
    fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]),
  );
}

/** Where a live object does not have what we applied. What else it has is the server's, or someone else's. */
import { isMapping } from '../../formats/text/mapping.js';

/** Paths such as `spec.capacity.storage`; empty: all of it is there. */
export function missingIn(wanted: unknown, live: unknown, path = ''): string[] {
  if (isMapping(wanted)) {
    const has = isMapping(live) ? live : {};
    return Object.entries(wanted).flatMap(([key, value]) =>
      missingIn(value, has[key], path === '' ? key : `${path}.${key}`),
    );
  }
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live) || live.length !== wanted.length) return [path];
    return wanted.flatMap((item, index) => missingIn(item, live[index], `${path}[${index}]`));
  }
  return wanted === live ? [] : [path];
}

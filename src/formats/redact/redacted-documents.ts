import { isMapping, type Mapping } from '../text/mapping.js';

/** The documents of a machine config that was redacted for comparing. */
export function documentsIn(redacted: string): Mapping[] {
  const list: unknown = JSON.parse(redacted);
  return Array.isArray(list) ? list.filter(isMapping) : [];
}

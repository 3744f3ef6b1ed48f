import { keysUnknownTo, kindKnownTo, MAIN_KIND } from '../../formats/talos/talos-versions.js';
import { isMapping } from '../../formats/text/mapping.js';
import { parseVersion } from '../../model/version.js';

/** What of a machine config this Talos does not know, and would refuse the whole of it for: `SysctlConfig`, `machine.x`. */
export function unknownToTalos(redacted: string | undefined, talosVersion: string): string[] {
  const version = parseVersion(talosVersion);
  const documents: unknown = JSON.parse(redacted ?? '[]');
  if (!version || !Array.isArray(documents)) return [];
  return documents.filter(isMapping).flatMap((document) => {
    const kind = typeof document.kind === 'string' ? document.kind : MAIN_KIND;
    if (!kindKnownTo(kind, version)) return [kind];
    const prefix = kind === MAIN_KIND ? '' : `${kind}.`;
    return keysUnknownTo(kind, document, version).map((key) => `${prefix}${key}`);
  });
}

import { keysUnknownTo, kindKnownTo, knowsEveryKey, MAIN_KIND } from '../../formats/talos/talos-versions.js';
import { isMapping } from '../../formats/text/mapping.js';
import { parseVersion } from '../../model/version.js';
import type { DesiredConfig } from '../input.js';

/** What of a machine config this Talos does not know, and would refuse the whole of it for: `SysctlConfig`, `machine.x`. */
export function unknownToTalos(config: DesiredConfig | undefined, talosVersion: string): string[] {
  const version = parseVersion(talosVersion);
  if (!version || !config) return [];
  if (knowsEveryKey(version) && config.kinds.every((kind) => kindKnownTo(kind, version))) return [];
  const documents: unknown = JSON.parse(config.redacted);
  if (!Array.isArray(documents)) return [];
  return documents.filter(isMapping).flatMap((document) => {
    const kind = typeof document.kind === 'string' ? document.kind : MAIN_KIND;
    if (!kindKnownTo(kind, version)) return [kind];
    const prefix = kind === MAIN_KIND ? '' : `${kind}.`;
    return keysUnknownTo(kind, document, version).map((key) => `${prefix}${key}`);
  });
}

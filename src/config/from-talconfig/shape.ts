/** Whose file a YAML mapping is, by its keys: talhelper's talconfig.yaml or topf's topf.yaml. */
import { isMapping } from '../../formats/text/mapping.js';

export type TalosTool = 'talhelper' | 'topf';

export function talosToolOf(raw: unknown): TalosTool | undefined {
  if (!isMapping(raw) || typeof raw.clusterName !== 'string' || isMapping(raw.cluster)) return undefined;
  if (raw.clusterEndpoint !== undefined) return 'topf';
  return Array.isArray(raw.nodes) || raw.endpoint !== undefined ? 'talhelper' : undefined;
}

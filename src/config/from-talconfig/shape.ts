/** Whose file a YAML mapping is, by its keys: talhelper's talconfig.yaml or topf's topf.yaml. */
import { isRecord } from '../foreign/document.js';

export type TalosTool = 'talhelper' | 'topf';

export function talosToolOf(raw: unknown): TalosTool | undefined {
  if (!isRecord(raw) || typeof raw.clusterName !== 'string' || isRecord(raw.cluster)) return undefined;
  if (raw.clusterEndpoint !== undefined) return 'topf';
  return Array.isArray(raw.nodes) || raw.endpoint !== undefined ? 'talhelper' : undefined;
}

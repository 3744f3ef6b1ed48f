/** Paths in a config are relative to its folder: they change when the config is written elsewhere. */
import { isMapping } from '../../formats/text/mapping.js';
import { formatSecretRef, parseSecretRef } from '../secret-ref.js';

type Move = (path: string) => string;

/** `raw`: in the shape of oxherd.yaml. */
export function movePaths(raw: Readonly<Record<string, unknown>>, move: Move): Record<string, unknown> {
  return {
    ...raw,
    ...inside(raw, 'talos', (talos) => ({
      ...withFile(talos, 'schematic', move),
      ...inside(talos, 'patches', (patches) =>
        Object.keys(patches).reduce((moved, role) => withFiles(moved, role, move), patches),
      ),
    })),
    ...inside(raw, 'proxmox', (proxmox) => withSecret(withFile(proxmox, 'ca', move), 'token', move)),
    ...inside(raw, 'nodes', (nodes) =>
      Object.fromEntries(
        Object.entries(nodes).map(([name, node]) => [
          name,
          isMapping(node) ? withFiles(withFile(node, 'schematic', move), 'patches', move) : node,
        ]),
      ),
    ),
    ...inside(raw, 'kubernetes', (kubernetes) => ({
      ...kubernetes,
      ...inside(kubernetes, 'cilium', (cilium) =>
        withFile(withFile(cilium, 'values', move), 'manifest', move),
      ),
      ...inside(kubernetes, 'sealedSecrets', (sealed) =>
        withSecret(withFile(sealed, 'certificate', move), 'key', move),
      ),
    })),
  };
}

function inside(
  raw: Readonly<Record<string, unknown>>,
  key: string,
  change: (value: Record<string, unknown>) => Record<string, unknown>,
): Record<string, unknown> {
  const value = raw[key];
  return isMapping(value) ? { [key]: change(value) } : {};
}

/** Text of several lines is the content itself. */
function withFile(raw: Record<string, unknown>, key: string, move: Move): Record<string, unknown> {
  const value = raw[key];
  return typeof value === 'string' && !value.includes('\n') ? { ...raw, [key]: move(value) } : raw;
}

/** A list of files, or of contents. */
function withFiles(raw: Record<string, unknown>, key: string, move: Move): Record<string, unknown> {
  const list = raw[key];
  if (!Array.isArray(list)) return raw;
  return { ...raw, [key]: list.map((item: unknown) => withFile({ item }, 'item', move).item) };
}

function withSecret(raw: Record<string, unknown>, key: string, move: Move): Record<string, unknown> {
  const value = raw[key];
  const ref = typeof value === 'string' ? parseSecretRef(value) : undefined;
  if (ref === undefined || ref.kind === 'env') return raw;
  return { ...raw, [key]: formatSecretRef({ ...ref, path: move(ref.path) }) };
}

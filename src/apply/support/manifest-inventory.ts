/**
 * The list of objects that Talos has applied: a ConfigMap with one key for each, written as Talos's own client does it
 * (kubernetes/ssa of siderolabs/go-kubernetes v0.2.41). Talos never creates again what is listed here.
 */
import type { KubernetesClient } from '../../clients/kubernetes/client.js';
import { CONFIG_MAPS } from '../../clients/kubernetes/resources.js';
import type { TalosManifest } from '../../observe/talos-manifests.js';

const NAMESPACE = 'kube-system';
export const INVENTORY = 'talos-bootstrap-manifests-inventory';
export const OWNING_INVENTORY = 'config.k8s.io/owning-inventory';
export const TALOS_FIELD_MANAGER = 'talos';

/** `kube-system_coredns_apps_Deployment`; colons in names of roles are written `__`. */
export function inventoryKey({ apiVersion, kind, metadata }: TalosManifest): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const name = metadata.name.replaceAll(':', '__');
  return [metadata.namespace ?? '', name, group, kind].join('_');
}

export async function readInventory(client: KubernetesClient): Promise<ReadonlySet<string>> {
  const there = await client.get(CONFIG_MAPS, INVENTORY, NAMESPACE);
  return new Set(Object.keys(there?.data ?? {}));
}

/** Adds to what is there: nothing is ever taken off. */
export async function addToInventory(client: KubernetesClient, keys: readonly string[]): Promise<void> {
  const known = await readInventory(client);
  if (keys.every((key) => known.has(key))) return;
  const data = Object.fromEntries([...known, ...keys].sort().map((key) => [key, '']));
  await client.apply(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: INVENTORY, namespace: NAMESPACE }, data },
    { force: true, fieldManager: TALOS_FIELD_MANAGER },
  );
}

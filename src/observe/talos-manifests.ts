import type { RunningTalos } from '../clients/talos/client.js';
import { RESOURCES } from '../clients/talos/resources.js';

/** An object that Talos renders for the cluster. */
export interface TalosManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string } & Readonly<
    Record<string, unknown>
  >;
  readonly [field: string]: unknown;
}

/** In the order of their names (`00-…`, `11-core-dns`), as the machine keeps them; a control plane alone has them. */
export async function readManifests(talos: RunningTalos): Promise<readonly TalosManifest[]> {
  const resources = await talos.list(RESOURCES.manifests);
  return [...resources]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap(({ spec }) => (Array.isArray(spec) ? spec.filter(isManifest) : []));
}

function isManifest(value: unknown): value is TalosManifest {
  if (typeof value !== 'object' || value === null) return false;
  const { apiVersion, kind, metadata } = value as Partial<TalosManifest>;
  return typeof apiVersion === 'string' && typeof kind === 'string' && typeof metadata?.name === 'string';
}

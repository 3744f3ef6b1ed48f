import { talosManifests } from '../../kubernetes/controllers/pods/system-pods.js';
import { objOf, textOf } from '../../kubernetes/json.js';
import { namedManifests } from '../../kubernetes/stand-in-manifests.js';
import { readDocuments } from '../config/config-document.js';
import { describeCluster } from '../kubernetes/kubernetes-description.js';
import type { Machine } from '../machine/machine.js';

const KINDS: Readonly<Record<string, { readonly apiVersion: string; readonly kind: string }>> = {
  services: { apiVersion: 'v1', kind: 'Service' },
  'daemonsets.apps': { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  'deployments.apps': { apiVersion: 'apps/v1', kind: 'Deployment' },
};

/** As Talos names its own: a priority, then what it brings. */
const IDS: Readonly<Record<string, string>> = {
  'kube-flannel': '05-flannel',
  'kube-proxy': '10-kube-proxy',
  coredns: '11-core-dns',
  'kube-dns': '11-core-dns-svc',
};

/** What a control plane renders for its cluster: its own manifests, and the inline and extra ones of its config. */
export function manifestSpecs(machine: Machine): { id: string; spec: unknown }[] {
  const { config, facts, record } = machine;
  if (facts?.type !== 'controlplane' || config === undefined || record.controlPlane !== 'running') return [];
  const own = talosManifests(describeCluster({ config, images: facts.images })).map(([resource, object]) => {
    const { metadata } = object;
    const named = objOf(metadata);
    const spec = { ...KINDS[resource], ...object, metadata: { ...named, namespace: 'kube-system' } };
    return { id: IDS[textOf(named.name)] ?? '', spec: [spec] };
  });
  const more = namedManifests(readDocuments(config).map((document) => document.body));
  return [...own, ...more.map(({ name, objects }) => ({ id: `99-${name}`, spec: objects }))];
}

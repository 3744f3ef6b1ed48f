/**
 * Parts of the scope that this observation did not read. A verdict over them rests on nothing: "No changes", "Healthy"
 * and "Done" are said only if this list is empty.
 */
import type { Design, NodeDesign } from '../../design/design.js';
import type { Known, Observed } from '../../observe/observed.js';
import type { ObservedKubernetes } from '../../observe/observed-kubernetes.js';
import { hasEtcdData, type ObservedMachine } from '../../observe/observed-machines.js';
import { type UnreadPart, unreadParts } from '../../observe/observed-unread.js';
import { drainedHosts, offForMaintenance } from './drained-nodes.js';

interface Scope {
  /** Only these nodes, and nothing of the whole cluster. */
  readonly only?: readonly string[] | undefined;
  /** This host is given up: nothing of it will be read again. */
  readonly lostHost?: string | undefined;
}

/** Nodes that are off because their host is in maintenance, and the storages of that host, do not count. */
export function incompleteParts(
  design: Design,
  observed: Observed,
  { only, lostHost }: Scope = {},
): UnreadPart[] {
  const drained = offForMaintenance(design, observed);
  const nodes = design.nodes.filter(({ name }) => !drained.has(name));
  const inScope = nodes.filter(({ name }) => only?.includes(name) ?? true);
  const away = new Set([
    ...drainedHosts(design, observed),
    ...[...drained.values()].map(({ host }) => host),
    ...(lostHost === undefined ? [] : [lostHost]),
  ]);
  return [
    ...unreadParts({ nodes: inScope }, withoutStoragesOf(away, observed)),
    ...inScope.flatMap((node) => unreadMachine(node, observed.machines[node.name])),
    ...(only ? [] : unreadCluster(nodes, observed)),
  ];
}

/** A host that is in maintenance and down cannot list what its storages hold. */
function withoutStoragesOf(hosts: ReadonlySet<string>, observed: Observed): Observed {
  const there = <T>(listings: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(
      Object.entries(listings).filter(([place]) => {
        const [host = ''] = place.split('/');
        return !hosts.has(host) || observed.hosts[host]?.online !== false;
      }),
    );
  return { ...observed, volumes: there(observed.volumes), images: there(observed.images) };
}

function unreadMachine({ name }: NodeDesign, machine: ObservedMachine | undefined): UnreadPart[] {
  // A VM that does not run is a fact; what starts it compares its machine afterwards.
  if (!machine || machine.presence === 'off' || machine.presence === 'maintenance') return [];
  const { details } = machine;
  if (!details.known) return [{ what: name, node: name, why: details.why }];
  const { config, etcd } = details.value;
  return [
    ...unread(`the config of ${name}`, config, name),
    // Before bootstrap there is no etcd to ask.
    ...(etcd && hasEtcdData(details.value) ? unread(`etcd of ${name}`, etcd, name) : []),
  ];
}

function unreadCluster(nodes: readonly NodeDesign[], observed: Observed): UnreadPart[] {
  const { kubernetes, systemImages } = observed;
  if (!kubernetes) return [];
  if (!Object.values(kubernetes.endpoints).some((ready) => ready))
    return mayHaveCluster(nodes, observed) ? [{ what: 'Kubernetes', why: 'no API server answers' }] : [];
  return [
    ...unreadObjects(kubernetes),
    ...(systemImages ? unread("the images of Talos's own pods", systemImages) : []),
  ];
}

/** A control plane has etcd data, or does not let us see whether it has. */
function mayHaveCluster(nodes: readonly NodeDesign[], { machines }: Observed): boolean {
  return nodes.some(({ name, role }) => {
    const machine = machines[name];
    if (role !== 'controlplane' || machine?.presence !== 'configured') return false;
    return !machine.details.known || hasEtcdData(machine.details.value);
  });
}

function unreadObjects({ objects, ...parts }: ObservedKubernetes): UnreadPart[] {
  return [
    ...unread('the version of the API server', parts.version),
    ...unread('the Node objects', parts.nodes),
    ...unread('the PersistentVolumes and StorageClasses', parts.ours),
    ...unread('Cilium', parts.cilium),
    ...unread('the objects of the load balancer', parts.loadBalancer),
    ...unread('GitOps', parts.gitops),
    ...unread('the Secret of the CSI driver', parts.csiSecret),
    ...unread('the CSI driver', parts.csiDriver),
    ...unread('the key of Sealed Secrets', parts.sealedKey),
    ...unread('the Gateway API', parts.gatewayApi),
    ...unread('the PersistentVolumes', parts.volumes),
    ...unread('the PersistentVolumeClaims', parts.claims),
    ...unread('the VolumeAttachments', parts.attachments),
    ...Object.entries(objects).flatMap(([key, object]) => unread(key, object)),
  ];
}

function unread(what: string, part: Known<unknown>, node?: string): UnreadPart[] {
  if (part.known || part.notAsked) return [];
  return [{ what, ...(node !== undefined && { node }), why: part.why }];
}

/** The one line that a person reads first. */
export function incompleteText(parts: readonly UnreadPart[]): string {
  const nodes = new Set(parts.flatMap(({ node }) => node ?? []));
  const others = parts.filter(({ node }) => node === undefined).length;
  const counts = [
    ...(nodes.size > 0 ? [`${nodes.size} ${nodes.size === 1 ? 'node' : 'nodes'}`] : []),
    ...(others > 0 ? [`${others} ${others === 1 ? 'part' : 'parts'} of the cluster`] : []),
  ];
  return `Could not compare ${counts.join(' and ')}.`;
}

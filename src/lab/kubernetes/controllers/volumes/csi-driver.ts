/**
 * Where a CSI driver runs: what its sidecars and its node plugin do is done only while their pods are ready, as on a real
 * cluster. Which driver a pod belongs to stands in the registrar's arguments and in the names of the images.
 */

import { ownValue } from '../../../../formats/text/mapping.js';
import type { CsiBackend } from '../../feed.js';
import { at, listOf, type Obj, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { isReady } from '../pods/pods.js';
import type { Controller, World } from '../world.js';

type CsiSidecar = 'csi-attacher' | 'csi-provisioner' | 'csi-resizer';

const CSI_NODES = 'csinodes.storage.k8s.io';
const REGISTRATION = /^--kubelet-registration-path=.*\/plugins\/([^/]+)\/csi\.sock$/;
/** Images of the controllers of drivers that the lab plays. */
const CONTROLLERS: Readonly<Record<string, string>> = {
  'csi.proxmox.sinextra.dev': 'proxmox-csi-controller',
};
/** What the Proxmox driver says where a node has no label for it. */
const DEFAULT_VOLUMES_PER_NODE = 24;
const MOST_VOLUMES = 'csi.proxmox.sinextra.dev/max-volume-attachments';
const TOPOLOGY_KEYS = ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'];

/** A sidecar works beside the controller of its driver, in one pod. */
export function sidecarRuns(world: World, driver: string, sidecar: CsiSidecar): boolean {
  const controller = ownValue(CONTROLLERS, driver);
  if (controller === undefined) return false;
  return world.list('pods').some((pod) => {
    const images = containersOf(pod).map((container) => textOf(container.image));
    return (
      images.some((image) => image.includes(controller)) &&
      images.some((image) => image.includes(sidecar)) &&
      isReady(pod)
    );
  });
}

/** A kubelet attaches nothing of a driver that has not registered with it. */
export function isRegistered(world: World, driver: string, node: string): boolean {
  return driversOf(world.find(CSI_NODES, undefined, node)).some((entry) => entry.name === driver);
}

/** Keeps the CSINode of each node: the kubelet makes it and enters the drivers that register there. */
export function csiNodeController(backend: CsiBackend): Controller {
  return { reconcile: (world) => reconcile(world, backend) };
}

function reconcile(world: World, backend: CsiBackend): undefined {
  const plugins = new Map<string, Set<string>>();
  for (const pod of world.objects.group('pods', byPlugin, 'plugin')) {
    const driver = registeredBy(pod);
    if (driver === undefined || !isReady(pod)) continue;
    const node = textOf(at(pod, 'spec', 'nodeName'));
    plugins.set(node, (plugins.get(node) ?? new Set()).add(driver));
  }
  if (plugins.size === 0 && world.list(CSI_NODES).length === 0) return;
  for (const node of world.list('nodes')) keep(world, backend, node, plugins.get(node.metadata.name));
  for (const csiNode of world.list(CSI_NODES)) {
    if (!world.find('nodes', undefined, csiNode.metadata.name)) world.remove(CSI_NODES, csiNode);
  }
}

function keep(
  world: World,
  backend: CsiBackend,
  node: KubeObject,
  registered: ReadonlySet<string> | undefined,
): void {
  const { name, uid, labels = {} } = node.metadata;
  // A kubelet that is down neither takes drivers in nor out.
  if (world.machines.get(name)?.up === false) return;
  // The plugin cannot say where it is without them, and the registrar gives up.
  const placed = TOPOLOGY_KEYS.every((key) => (labels[key] ?? '') !== '');
  const drivers = placed
    ? [...(registered ?? [])].sort().map((driver) => entryOf(backend, node, driver))
    : [];
  const existing = world.find(CSI_NODES, undefined, name);
  if (!existing) {
    // The API refuses one without drivers.
    if (drivers.length === 0) return;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name, uid: uid ?? '' }];
    world.create(CSI_NODES, undefined, { metadata: { name, ownerReferences }, spec: { drivers } }, 'kubelet');
    return;
  }
  world.update(CSI_NODES, { ...existing, spec: { ...objOf(existing.spec), drivers } }, 'kubelet');
}

function entryOf(backend: CsiBackend, { metadata }: KubeObject, name: string): Obj {
  const count = Number(metadata.labels?.[MOST_VOLUMES] ?? DEFAULT_VOLUMES_PER_NODE);
  return {
    name,
    nodeID: backend.nodeId?.(metadata.name) ?? metadata.name,
    topologyKeys: TOPOLOGY_KEYS,
    allocatable: { count },
  };
}

function registeredBy(pod: KubeObject): string | undefined {
  return containersOf(pod)
    .flatMap((container) => listOf(container.args).map((arg) => REGISTRATION.exec(textOf(arg))?.[1]))
    .find((driver) => driver !== undefined);
}

/** Pods that register a driver on their node. */
const byPlugin = (pod: KubeObject) => (registeredBy(pod) === undefined ? undefined : 'plugin');

function containersOf(pod: KubeObject): Obj[] {
  return listOf(at(pod, 'spec', 'containers')).map(objOf);
}

function driversOf(csiNode: KubeObject | undefined): Obj[] {
  return listOf(at(csiNode, 'spec', 'drivers')).map(objOf);
}

/** Reads all of a running cluster that a twin needs: more than a plan asks for, and nothing is written. */

import type { KubernetesClient } from '../../clients/kubernetes/client.js';
import type { TalosClient } from '../../clients/talos/client.js';
import { RESOURCES } from '../../clients/talos/resources.js';
import type { NodeDesign } from '../../design/design.js';
import type { KubernetesDesign } from '../../design/kubernetes/kubernetes-design.js';
import { refKey } from '../../design/kubernetes/managed-object.js';
import { unmarkedConfig } from '../../design/machine-config/config-mark.js';
import { configWithoutSecrets } from '../../design/machine-config/meaning.js';
import { slotOfBusPath } from '../../formats/proxmox/bus-path.js';
import { parsePropertyString } from '../../formats/proxmox/property-string.js';
import { staticAddressOf } from '../../formats/proxmox/static-address.js';
import { vmConfigOf } from '../../formats/proxmox/vm-config.js';
import { isMapping } from '../../formats/text/mapping.js';
import { OxherdError } from '../../model/error.js';
import { wwidOf } from '../../model/identity.js';
import { attempt } from '../../observe/attempt.js';
import { readDisks } from '../../observe/disks/machine-disks.js';
import { readDetails } from '../../observe/observe-machines.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { findObject } from '../../observe/observed-kubernetes.js';
import { visibleVms } from '../../observe/observed-vms.js';
import { missingIn } from '../../plan/kubernetes/object-difference.js';
import type { Site } from '../connect/site.js';
import type { PreparedPlan } from '../plan/plan-request.js';
import { look } from '../plan/prepare-plan.js';
import { newObservation, type Observation, type SeenMachine } from './observation.js';
import { type SeenObject, withoutSecret } from './seen-objects.js';

/** Told by the cluster itself every few seconds, or of no effect on anything. */
const LEFT_OUT: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io', 'componentstatuses']);
/** Questions, not objects. */
const NO_OBJECTS = /^(?:authentication|authorization|metrics|custom\.metrics|external\.metrics)\./;

/** With `adopt` the VMs of a cluster that something else made count as its own. */
export async function takeObservation(
  site: Site,
  { adopt = false }: { readonly adopt?: boolean } = {},
): Promise<Observation> {
  return observationOf(site, await look(site, { machines: true, health: true, adopt }));
}

/** The rest of it, where Proxmox and the machines have been looked at. */
export async function observationOf(
  site: Site,
  { design, observed, kubernetes }: Pick<PreparedPlan, 'design' | 'observed' | 'kubernetes'>,
): Promise<Observation> {
  const [machines, objects, desired] = await Promise.all([
    seenMachines(site, design.nodes, observed),
    seenObjects(site, observed),
    site.machines.desired(design),
  ]);
  return newObservation({
    cluster: site.config.cluster.name,
    at: site.clock.now(),
    observed,
    machines,
    objects,
    changed: kubernetes ? changedObjects(kubernetes, observed) : [],
    clientFiles: desired.clientFiles.current,
    secrets: site.machines.secrets !== undefined,
  });
}

/** As applied last by their own word, and yet not so. */
function changedObjects({ objects }: KubernetesDesign, { kubernetes }: Observed): string[] {
  return objects.flatMap(({ ref, hash, object }) => {
    const seen = kubernetes && findObject(kubernetes, ref);
    const there = seen?.state === 'present' ? seen.value : undefined;
    return there?.live && there.hash === hash && missingIn(object, there.live).length > 0
      ? [refKey(ref)]
      : [];
  });
}

interface MachinePlace {
  readonly vm: ObservedVm;
  readonly address: string;
}

async function seenMachines(
  { machines: { talos } }: Site,
  nodes: readonly NodeDesign[],
  observed: Observed,
): Promise<Record<string, SeenMachine>> {
  const seen = await Promise.all(
    placesOf(nodes, observed).map(async ({ vm, address }) => {
      const client = talos.admin(address);
      const read = client && (await attempt(() => seenMachine(client, vm)));
      return read?.known ? [[vm.name, read.value] as const] : [];
    }),
  );
  return Object.fromEntries(seen.flat());
}

/** Machines of the config where they were found, and those that it no longer has where their VMs say they are. */
function placesOf(nodes: readonly NodeDesign[], observed: Observed): MachinePlace[] {
  const running = visibleVms(observed).filter(({ status }) => status === 'running');
  return running.flatMap((vm) => {
    const node = nodes.find(({ talosVm }) => talosVm.vmid === vm.vmid);
    const machine = node && observed.machines[node.name];
    if (node && (machine?.presence !== 'configured' || !machine.details.known)) return [];
    const address = node ? (machine?.address ?? node.ip) : staticAddressOf(vm);
    return address === undefined ? [] : [{ vm, address }];
  });
}

async function seenMachine(talos: TalosClient, vm: ObservedVm): Promise<SeenMachine> {
  const [details, active, kept, extensions, disks] = await Promise.all([
    readDetails(talos, { role: 'controlplane' }),
    talos.get(RESOURCES.machineConfig, 'v1alpha1'),
    attempt(() => talos.get(RESOURCES.machineConfig, 'persistent')),
    attempt(() => talos.list(RESOURCES.extensionStatus)),
    readDisks(talos),
  ]);
  const uuid = vm.config.known ? parsePropertyString(vm.config.value.values.smbios1 ?? '').uuid : undefined;
  if (details.uuid !== undefined && uuid !== undefined && details.uuid !== uuid.toLowerCase())
    throw new OxherdError('observation.other-machine', `another machine answers for ${vm.name}`);
  const config = nameless(active?.spec);
  const staged = kept.known && kept.value ? nameless(kept.value.spec) : config;
  const sizes = new Map(details.volumes.map(({ id, size }) => [id, size]));
  const volumes = disks.flatMap((disk) => {
    const slot = slotOf(disk, vm);
    return slot === undefined
      ? []
      : disk.holds.map((id) => [id, { slot, size: sizes.get(id) ?? disk.size }] as const);
  });
  const { etcd } = details;
  return {
    vmid: vm.vmid,
    version: details.talosVersion,
    ...(details.schematic.known &&
      details.schematic.value !== undefined && { schematic: details.schematic.value }),
    ...(etcd?.known && etcd.value.memberId !== '' && { member: etcd.value.memberId }),
    config,
    ...(staged !== config && { staged }),
    extensions: extensions.known ? extensions.value.flatMap(({ spec }) => extensionName(spec)) : [],
    volumes: Object.fromEntries(volumes),
  };
}

/** With the mark that says which config oxherd gave it last. */
function nameless(spec: unknown): string {
  const raw = typeof spec === 'string' ? spec : '';
  const { text, mark } = unmarkedConfig(raw);
  const config = configWithoutSecrets(text);
  return mark === undefined ? config : `# oxherd ${mark}\n${config}`;
}

function extensionName(spec: unknown): string[] {
  const metadata = isMapping(spec) ? spec.metadata : undefined;
  const name = isMapping(metadata) ? metadata.name : undefined;
  return typeof name === 'string' && name !== 'schematic' ? [name] : [];
}

function slotOf(
  { wwid, busPath }: { readonly wwid?: string; readonly busPath: string },
  { config }: ObservedVm,
): string | undefined {
  if (!config.known) return undefined;
  const drives = vmConfigOf(config.value).drives;
  const byIdentity = wwid && drives.find((drive) => drive.wwn && wwidOf(drive.wwn) === wwid);
  return byIdentity ? byIdentity.slot : slotOfBusPath(busPath);
}

/** Everything that the API has, but for what says nothing about the cluster. */
async function seenObjects(
  { machines: { cluster } }: Site,
  { kubernetes }: Observed,
): Promise<Record<string, SeenObject[]>> {
  const { client } = cluster;
  if (!client || !kubernetes || !Object.values(kubernetes.endpoints).includes(true)) return {};
  const resources = await client.resources();
  const lists = await Promise.all(
    resources.map(async (resource) => {
      const group = resource.apiVersion.includes('/') ? `.${resource.apiVersion.split('/')[0]}` : '';
      const name = `${resource.plural}${group}`;
      if (LEFT_OUT.has(name) || NO_OBJECTS.test(group.slice(1))) return [];
      const list = await attempt(() => objectsOf(client, resource));
      return list.known && list.value.length > 0 ? [[name, list.value] as const] : [];
    }),
  );
  return Object.fromEntries(lists.flat());
}

async function objectsOf(
  client: KubernetesClient,
  resource: Awaited<ReturnType<KubernetesClient['resources']>>[number],
): Promise<SeenObject[]> {
  const listed = await client.list(resource);
  return listed.filter(isObject).map((object) => (object.kind === 'Secret' ? withoutSecret(object) : object));
}

function isObject(value: unknown): value is SeenObject {
  return isMapping(value) && isMapping(value.metadata) && typeof value.metadata.name === 'string';
}

/**
 * Parts of the scope that this observation could not read: a verdict over them would rest on nothing. Each part of the
 * observation has an entry here, by type: a new part does not compile before its entry says what "not read" means for it.
 */
import type { AccessDesign, Design, NodeDesign } from '../design/design.js';
import { heldOn } from '../formats/proxmox/permissions.js';
import type { Known, Observed, ObservedBackup, ObservedHa, ObservedVm } from './observed.js';
import { findAccess, type ObservedAccess } from './observed-access.js';
import type { ObservedKubernetes } from './observed-kubernetes.js';
import type { Listed } from './observed-lists.js';
import { hasEtcdData, type MachineDetails, type ObservedMachine } from './observed-machines.js';
import { findVm, visibleVms } from './observed-vms.js';

export interface UnreadPart {
  /** Completes "oxherd could not read …": `VM 151`, `the volumes of pve1/local-zfs`. */
  readonly what: string;
  /** Absent: it concerns the whole cluster. */
  readonly node?: string;
  readonly why: string;
}

interface Scope {
  readonly nodes: readonly NodeDesign[];
  readonly hasHa: boolean;
  readonly access: readonly AccessDesign[];
  /** VMs of all nodes that oxherd.yaml names. */
  readonly vmids: ReadonlySet<number>;
  /** Only these nodes: no part of the whole cluster counts, except what their disks are on. */
  readonly limited: boolean;
}

/** One entry for each key of `Of`. `[]`: it cannot be unread, or nothing rests on it. */
type Parts<Of, Context> = {
  readonly [Key in keyof Of]-?: (part: Of[Key], context: Context) => readonly UnreadPart[];
};

interface Around {
  readonly scope: Scope;
  readonly observed: Observed;
}

const never = (): readonly UnreadPart[] => [];

/** Read with the first requests, without which there is no observation at all. */
const always = never;

const OBSERVED: Parts<Observed, Around> = {
  proxmox: always,
  hosts: always,
  storages: always,
  tokenId: always,
  // With `vms`: an id that is not listed is asked for.
  taken: never,
  lookalikes: never,
  outsiders: never,
  // A machine that did not accept our certificate proves nothing: its VM is not removed.
  accepting: never,
  // A removed machine that did not answer has steps of its own or a problem: it leaves no verdict open.
  removedMachines: never,
  foreignMembers: never,
  // Guests of others: the steps that depend on them refuse, and no verdict is about them.
  unread: never,
  vms: (_, { scope, observed }) => [
    ...scope.nodes.flatMap((node) => unreadVms(node, observed)),
    ...(scope.limited ? [] : unreadOthers(scope, observed)),
  ],
  images: (images, { observed }) => unreadPlaces('the images of', images, observed),
  volumes: (volumes, { observed }) =>
    unreadPlaces(
      'the volumes of',
      Object.fromEntries(Object.entries(volumes).map(([place, list]) => [place, wholeOf(list)])),
      observed,
    ),
  machines: (machines, { scope }) => scope.nodes.flatMap((node) => unreadMachine(node, machines[node.name])),
  quorate: ofCluster((quorate) => unread('whether Proxmox has a quorum', quorate)),
  replicated: ofCluster((jobs) => unread('the replication jobs', jobs)),
  permissions: ofCluster((permissions) => unread("the token's rights", permissions)),
  pciMappings: ofCluster((mappings) => unread('the PCI mappings', mappings)),
  bridges: ofCluster((bridges) =>
    Object.entries(bridges).flatMap(([host, read]) => unread(`the bridges of ${host}`, read)),
  ),
  ha: ofCluster((ha, around) => (ha === undefined ? [] : unreadOr('HA', ha, HA, around))),
  backup: ofCluster((backup) => (backup === undefined ? [] : unreadIn(BACKUP, backup, undefined))),
  access: ofCluster((access, around) => unreadIn(ACCESS, access, around)),
  kubernetes: ofCluster(unreadKubernetes),
  systemImages: ofCluster((images) =>
    images === undefined ? [] : unread("the images of Talos's own pods", images),
  ),
};

const HA: Parts<ObservedHa, Around> = {
  hosts: never,
  services: never,
  serviceHosts: never,
  resources: never,
  // Before Proxmox VE 9 there are no rules to read.
  rules: (rules, { scope, observed }) =>
    scope.hasHa && !observed.proxmox.version.startsWith('8.') ? unread('the HA rules', rules) : [],
};

const BACKUP: Parts<ObservedBackup, undefined> = {
  jobs: (jobs) => unread('the backup jobs', jobs),
  newest: (newest) => unread('the newest backups', newest),
  failedRuns: (runs) => unread('the runs of the backup jobs', runs),
};

const ACCESS: Parts<ObservedAccess, Around> = {
  roles: unreadAccess('role', 'the roles of Proxmox'),
  users: unreadAccess('user', 'the users of Proxmox'),
  // Without this right, which oxherd can do without, Proxmox shows no tokens of others; the plan prints the commands.
  tokens: (tokens, around) =>
    mayManageUsers(around) ? unreadAccess('token', 'the tokens of Proxmox')(tokens, around) : [],
  acl: unreadAccess('acl', 'the ACLs of Proxmox'),
  pools: unreadAccess('pool', 'the pools of Proxmox'),
  legacy: (legacy) => unread('users, roles and pools of version 0.1.0', legacy),
};

const KUBERNETES: Parts<ObservedKubernetes, undefined> = {
  // An endpoint that does not answer is a fact; conditions name it.
  endpoints: never,
  servingUntil: never,
  now: (now) => unread('the time of the cluster', now),
  version: (version) => unread('the version of the API server', version),
  nodes: (nodes) => unread('the Node objects', nodes),
  controlPlanePods: (pods) => unread('the pods of the control planes', pods),
  objects: (objects) =>
    Object.entries(objects).flatMap(([what, object]) =>
      object.state === 'unread' ? [{ what, why: object.why }] : [],
    ),
  ours: (ours) => unread('the PersistentVolumes and StorageClasses', ours),
  cilium: (cilium) => unread('Cilium', cilium),
  loadBalancer: (objects) => unread('the objects of the load balancer', objects),
  gitops: (gitops) => unread('GitOps', gitops),
  csiSecret: (secret) => unread('the Secret of the CSI driver', secret),
  csiDriver: (driver) => unread('the CSI driver', driver),
  sealedKey: (key) => unread('the key of Sealed Secrets', key),
  gatewayApi: (api) => unread('the Gateway API', api),
  volumes: (volumes) => unread('the PersistentVolumes', volumes),
  claims: (claims) => unread('the PersistentVolumeClaims', claims),
  attachments: (attachments) => unread('the VolumeAttachments', attachments),
  workloads: (workloads) => unread('the workloads', workloads),
  pods: (pods) => unread('the pods', pods),
  budgets: (budgets) => unread('the PodDisruptionBudgets', budgets),
  gates: (gates) => Object.entries(gates).flatMap(([name, gate]) => unread(`the gate ${name}`, gate)),
};

const VM: Parts<ObservedVm, { readonly vm: ObservedVm; readonly node: string }> = {
  vmid: never,
  host: never,
  name: never,
  tags: never,
  template: never,
  config: (config, { vm, node }) => unread(`the config of VM ${vm.vmid}`, config, node),
  status: (status, { vm, node }) =>
    status === 'unknown'
      ? [{ what: `whether VM ${vm.vmid} runs`, node, why: `${vm.host} did not report it` }]
      : [],
};

const MACHINE: Parts<MachineDetails, { readonly node: string; readonly details: MachineDetails }> = {
  // Without these the machine as a whole is not read.
  uuid: never,
  talosVersion: never,
  stage: never,
  ready: never,
  unmet: never,
  services: never,
  volumes: never,
  schematic: (schematic, { node }) => unread(`the schematic of ${node}`, schematic, node),
  timeSynced: (synced, { node }) => unread(`whether ${node} has set its clock`, synced, node),
  config: (config, { node }) => unread(`the config of ${node}`, config, node),
  // Before bootstrap there is no etcd to ask.
  etcd: (etcd, { node, details }) =>
    etcd && hasEtcdData(details) ? unread(`etcd of ${node}`, etcd, node) : [],
};

/** Empty: everything in scope was read, and what is not there is proved not to be. */
export function unreadParts(scope: Scope, observed: Observed): UnreadPart[] {
  return unreadIn(OBSERVED, observed, { scope, observed });
}

/** As the design has it: all nodes, and the whole cluster. */
export function scopeOf(
  { nodes, ha, access }: Pick<Design, 'nodes' | 'ha' | 'access'>,
  only?: readonly string[],
  /** Those that are left out of the scope are no strangers to oxherd.yaml. */
  all: readonly NodeDesign[] = nodes,
): Scope {
  return {
    vmids: new Set<number>(
      all.flatMap(({ talosVm, dataVm }) => [talosVm.vmid, ...(dataVm ? [dataVm.vmid] : [])]),
    ),
    nodes: nodes.filter(({ name }) => only?.includes(name) ?? true),
    hasHa: ha !== undefined,
    access,
    limited: only !== undefined,
  };
}

function unreadIn<Of extends object, Context>(
  parts: Parts<Of, Context>,
  value: Of,
  context: Context,
): UnreadPart[] {
  return keysOf(parts).flatMap((key) => parts[key](value[key], context));
}

function keysOf<Of extends object>(value: Of): (keyof Of)[] {
  // Entries of a table that this file writes have no other keys.
  return Object.keys(value) as (keyof Of)[];
}

function unreadOr<Of extends object, Context>(
  what: string,
  part: Known<Of>,
  parts: Parts<Of, Context>,
  context: Context,
): readonly UnreadPart[] {
  return part.known ? unreadIn(parts, part.value, context) : unread(what, part);
}

function ofCluster<Part>(
  parts: (part: Part, around: Around) => readonly UnreadPart[],
): (part: Part, around: Around) => readonly UnreadPart[] {
  return (part, around) => (around.scope.limited ? [] : parts(part, around));
}

/** Proxmox lists every host to every token: on one that it does not have there is nothing to read. */
function unreadPlaces(
  what: string,
  listings: Readonly<Record<string, Known<unknown>>>,
  { hosts }: Observed,
): UnreadPart[] {
  return Object.entries(listings)
    .filter(([place]) => hosts[place.split('/')[0] ?? ''] !== undefined)
    .flatMap(([place, listing]) => unread(`${what} ${place}`, listing));
}

function wholeOf<T>({ seen, unlisted }: Listed<T>): Known<unknown> {
  return unlisted === undefined ? { known: true, value: seen } : { known: false, why: unlisted };
}

function mayManageUsers({ observed: { permissions } }: Around): boolean {
  return !permissions.known || heldOn(permissions.value, '/access/groups').has('User.Modify');
}

/** Only if an object that the design has may be missing for that reason. */
function unreadAccess(kind: AccessDesign['kind'], what: string) {
  return (_: unknown, { scope, observed }: Around): UnreadPart[] => {
    const wanted = scope.access.filter((one) => one.kind === kind);
    const answers = wanted.map((one) => findAccess(observed.access, one));
    const why = answers.flatMap((answer) => (answer.state === 'unread' ? [answer.why] : []))[0];
    return why === undefined ? [] : [{ what, why }];
  };
}

function unreadVms({ name, talosVm, dataVm }: NodeDesign, observed: Observed): UnreadPart[] {
  return [talosVm, ...(dataVm ? [dataVm] : [])].flatMap(({ vmid }): UnreadPart[] => {
    const answer = findVm(observed, vmid);
    if (answer.state === 'absent') return [];
    if (answer.state === 'hidden') return [{ what: `VM ${vmid}`, node: name, why: answer.why }];
    return unreadIn(VM, answer.vm, { vm: answer.vm, node: name });
  });
}

/** VMs of this cluster that left oxherd.yaml. Those of a host that is down are a fact that the plan names. */
function unreadOthers({ vmids }: Scope, observed: Observed): UnreadPart[] {
  const listed = visibleVms(observed)
    .filter(({ vmid, host }) => !vmids.has(vmid) && observed.hosts[host]?.online === true)
    .flatMap((vm) => unreadIn(VM, vm, { vm, node: vm.name }));
  const hidden = Object.entries(observed.vms.hidden)
    .filter(([vmid]) => !vmids.has(Number(vmid)))
    .map(([vmid, why]) => ({ what: `VM ${vmid}`, why }));
  return [...listed, ...hidden];
}

function unreadMachine({ name }: NodeDesign, machine: ObservedMachine | undefined): readonly UnreadPart[] {
  // A VM that does not run is a fact; the step that starts it compares its machine afterwards.
  if (!machine || machine.presence === 'off' || machine.presence === 'maintenance') return [];
  const { details } = machine;
  if (!details.known) return [{ what: name, node: name, why: details.why }];
  return unreadIn(MACHINE, details.value, { node: name, details: details.value });
}

function unreadKubernetes(
  kubernetes: ObservedKubernetes | undefined,
  { scope, observed }: Around,
): readonly UnreadPart[] {
  if (!kubernetes) return [];
  if (Object.values(kubernetes.endpoints).some((ready) => ready))
    return unreadIn(KUBERNETES, kubernetes, undefined);
  return mayHaveCluster(scope, observed) ? [{ what: 'Kubernetes', why: 'no API server answers' }] : [];
}

/** A control plane has etcd data, or does not let us see whether it has. */
function mayHaveCluster({ nodes }: Scope, { machines }: Observed): boolean {
  return nodes.some(({ name, role }) => {
    const machine = machines[name];
    if (role !== 'controlplane' || machine?.presence !== 'configured') return false;
    return !machine.details.known || hasEtcdData(machine.details.value);
  });
}

function unread(what: string, part: Known<unknown>, node?: string): UnreadPart[] {
  if (part.known || part.notAsked) return [];
  return [{ what, ...(node !== undefined && { node }), why: part.why }];
}

/** Who uses what on each Proxmox host: reservations, other VMs, our nodes, and what is left. */
import type { Config, HostConfig, NodeConfig, Reservation } from '../../config/config.js';
import type { Design, NodeDesign } from '../../design/design.js';
import { compareText } from '../../model/natural-order.js';
import type { Observed } from '../../observe/observed.js';

/** What Proxmox says about room and who takes it. */
export type CapacityFacts = Pick<Observed, 'hosts' | 'taken' | 'storages'>;

type UserKind = 'reservation' | 'other' | 'controlplane' | 'worker';

export interface CapacityUser {
  readonly kind: UserKind;
  readonly name: string;
  /** What it is: `Storage`, `Control Plane`. */
  readonly title: string;
  readonly vmid?: number;
  readonly cpus: number;
  readonly memory: number;
  /** What it boots from. */
  readonly disk: string;
  readonly address: string;
  /** Device of the host that it has for itself. */
  readonly passthrough?: string;
}

export interface StorageUse {
  readonly name: string;
  /** What our drives may grow to. */
  readonly ours: number;
  readonly total?: number;
  /** By whomever, ours included. */
  readonly used?: number;
  /** What drives of VMs that are not there yet will ask for. */
  readonly open?: number;
  /** Whether a volume takes its whole size at once. */
  readonly thick: boolean;
}

export interface HostCapacity {
  readonly name: string;
  /** From oxherd.yaml, else from Proxmox; `undefined` where no one says. */
  readonly cpus?: number;
  readonly memory?: number;
  readonly users: readonly CapacityUser[];
  /** What our nodes take there beyond what they have now. */
  readonly added: { readonly cpus: number; readonly memory: number };
  /** Negative where more is asked for than there is. */
  readonly left: { readonly cpus?: number; readonly memory?: number };
  readonly storages: readonly StorageUse[];
}

export function hostCapacities(
  config: Config,
  design: Design,
  observed?: CapacityFacts,
): readonly HostCapacity[] {
  const names = new Set([
    ...config.hosts.map((host) => host.name),
    ...design.nodes.map((node) => node.host),
    ...Object.keys(observed?.hosts ?? {}),
  ]);
  return [...names].sort().map((name) => hostCapacity(name, config, design, observed));
}

function hostCapacity(name: string, config: Config, design: Design, observed?: CapacityFacts): HostCapacity {
  const said = config.hosts.find((host) => host.name === name);
  const found = observed?.hosts[name];
  const users = [
    ...(said?.reservations ?? []).map(reserved),
    ...otherVms(name, said, design, observed),
    ...ourNodes(name, config, design),
  ];
  const cpus = said?.cpus ?? found?.cpus;
  const memory = said?.memory ?? found?.memory;
  const total = (key: 'cpus' | 'memory') => users.reduce((sum, user) => sum + user[key], 0);
  return {
    name,
    ...(cpus !== undefined && { cpus }),
    ...(memory !== undefined && { memory }),
    users,
    added: { cpus: addedOf(name, users, 'cpus', observed), memory: addedOf(name, users, 'memory', observed) },
    left: {
      ...(cpus !== undefined && { cpus: cpus - total('cpus') }),
      ...(memory !== undefined && { memory: memory - total('memory') }),
    },
    storages: storageUses(name, said, design, observed),
  };
}

/** A VM of ours that runs there has its share already; without an observation nothing runs. */
function addedOf(
  host: string,
  users: readonly CapacityUser[],
  key: 'cpus' | 'memory',
  observed?: CapacityFacts,
): number {
  return users
    .filter(({ kind }) => kind === 'controlplane' || kind === 'worker')
    .reduce((sum, user) => {
      const vm = user.vmid === undefined ? undefined : observed?.taken[user.vmid];
      const has = vm?.host === host && vm.status !== 'stopped' ? (vm[key] ?? user[key]) : 0;
      return sum + Math.max(0, user[key] - has);
    }, 0);
}

function reserved(reservation: Reservation): CapacityUser {
  return {
    kind: 'reservation',
    name: reservation.name,
    title: reservation.title ?? 'Reserved',
    ...(reservation.vmid !== undefined && { vmid: reservation.vmid }),
    cpus: reservation.cpus,
    memory: reservation.memory,
    disk: reservation.disk ?? (reservation.passthrough === undefined ? '' : 'Passthrough'),
    address: reservation.address ?? '',
    ...(reservation.passthrough !== undefined && { passthrough: reservation.passthrough }),
  };
}

/** What runs there and is neither ours nor reserved by name or id. Stopped VMs take no memory. */
function otherVms(
  host: string,
  said: HostConfig | undefined,
  design: Design,
  observed?: CapacityFacts,
): CapacityUser[] {
  const ours = new Set<number>(
    design.nodes.flatMap((node) => [node.talosVm.vmid, ...(node.dataVm ? [node.dataVm.vmid] : [])]),
  );
  return Object.values(observed?.taken ?? {})
    .filter((vm) => vm.host === host && vm.status === 'running' && !ours.has(vm.vmid))
    .filter((vm) => !(said?.reservations ?? []).some((each) => isReservationOf(each, vm)))
    .map((vm) => ({
      kind: 'other',
      name: vm.name || String(vm.vmid),
      title: 'Other VM',
      vmid: vm.vmid,
      cpus: vm.cpus ?? 0,
      memory: vm.memory ?? 0,
      disk: '',
      address: '',
    }));
}

/** By its id; by its name where oxherd.yaml says none. */
export function isReservationOf(
  reservation: Reservation,
  vm: { readonly vmid: number; readonly name: string },
): boolean {
  return reservation.vmid === undefined ? reservation.name === vm.name : reservation.vmid === vm.vmid;
}

function ourNodes(host: string, config: Config, design: Design): CapacityUser[] {
  const byName = new Map(config.nodes.map((node) => [node.name, node]));
  return design.nodes
    .filter((node) => node.host === host)
    .sort((a, b) => compareText(a.role, b.role) || a.talosVm.vmid - b.talosVm.vmid)
    .flatMap((node) => {
      const said = byName.get(node.name);
      return said ? [ourNode(node, said)] : [];
    });
}

function ourNode(node: NodeDesign, { vm }: NodeConfig): CapacityUser {
  const boot = node.drives[0];
  return {
    kind: node.role,
    name: node.name,
    title: node.role === 'controlplane' ? 'Control Plane' : 'Worker',
    vmid: node.talosVm.vmid,
    cpus: vm.cores * vm.sockets,
    memory: vm.memory,
    disk: boot === undefined ? '' : `${wholeGib(boot.size)} (${boot.storage})`,
    address: node.ip,
  };
}

/** Storages on which a volume takes its whole size at once. */
const THICK = new Set(['lvm', 'iscsi', 'iscsidirect']);

function storageUses(
  host: string,
  said: HostConfig | undefined,
  design: Design,
  observed?: CapacityFacts,
): StorageUse[] {
  const drives = [
    ...design.nodes.filter((node) => node.host === host).flatMap((node) => node.drives),
    // A CSI volume belongs to no VM, so no one can tell whether it is there.
    ...design.csiVolumes
      .filter((volume) => volume.host === host)
      .map((volume) => ({ ...volume, owner: undefined })),
  ];
  const names = new Set([...drives.map((drive) => drive.storage), ...Object.keys(said?.storages ?? {})]);
  return [...names].sort().map((name) => {
    const ours = drives.filter((drive) => drive.storage === name);
    const open = ours.filter(
      (drive) => drive.owner !== undefined && observed?.taken[drive.owner] === undefined,
    );
    const found = observed?.storages[`${host}/${name}`];
    const total = said?.storages[name] ?? found?.total;
    return {
      name,
      ours: sizeOf(ours),
      ...(total !== undefined && { total }),
      ...(found?.used !== undefined && { used: found.used }),
      ...(observed && { open: sizeOf(open) }),
      thick: THICK.has(found?.type ?? ''),
    };
  });
}

function sizeOf(drives: readonly { readonly size: number }[]): number {
  return drives.reduce((sum, drive) => sum + drive.size, 0);
}

/** `32 GB`, as people write sizes of hosts; the unit is GiB. */
export function wholeGib(size: number): string {
  const gib = size / 1024 ** 3;
  return `${Number.isInteger(gib) ? gib : gib.toFixed(1)} GB`;
}

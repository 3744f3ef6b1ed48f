/** Where nodes of a host in maintenance can go: memory that is really free, storages, bridges, and apart from their equals. */

import type { Design, NodeDesign } from '../../design/design.js';
import { storageOfVolume } from '../../formats/proxmox/drive-slots.js';
import { netsOf } from '../../formats/proxmox/nets-of.js';
import { bytes, formatSize } from '../../model/size.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { drainedHosts } from '../facts/drained-nodes.js';
import { type VmView, vmView } from '../facts/view-of-vm.js';
import { haObstacle } from '../ha/ha-obstacles.js';
import { hostResourceProblems } from '../vms/check-host-resources.js';
import { unmetNeeds } from '../vms/host-needs.js';
import { lacksOfSpace, migrationRoute, type Route, volumeLines } from '../vms/migration-route.js';
import { nodeOn } from '../vms/node-host.js';
import { versionSkew } from '../vms/version-skew.js';

type Place =
  | { readonly host: string }
  /** `onlyHa`: nothing but rules of HA keeps it from every other host. */
  | { readonly why: string; readonly onlyHa: boolean };

/** Kept free on every host: Proxmox itself, and what VMs take besides their memory. */
const HEADROOM = 512 * 1024 ** 2;

export class HostRoom {
  readonly #free: Map<string, number>;
  readonly #nodes: Map<string, NodeDesign['role'][]>;
  /** Bytes by `host/storage` that those who were placed before take. */
  readonly #promised = new Map<string, number>();

  constructor(
    design: Design,
    private readonly observed: Observed,
    private readonly leaving: string,
  ) {
    const away = drainedHosts(design, observed);
    const names = Object.values(observed.hosts)
      .filter(({ name, online }) => online && name !== leaving && !away.has(name))
      .map(({ name }) => name);
    this.#free = new Map(names.map((name) => [name, freeMemory(observed, name)]));
    this.#nodes = new Map(
      names.map((name) => [
        name,
        design.nodes
          .filter(({ talosVm }) => visibleVm(observed, talosVm.vmid)?.host === name)
          .map(({ role }) => role),
      ]),
    );
  }

  /** Where fewest of its role are, then where most memory is free. */
  placeFor(node: NodeDesign): Place {
    const bound = this.#followed(node);
    if (bound !== undefined) return { host: bound };
    const reasons: string[] = [];
    let byHa = 0;
    const fitting = [...this.#free].flatMap(([host, free]) => {
      const ha = haObstacle(this.observed, node.talosVm.vmid, host);
      if (ha !== undefined) byHa += 1;
      const why = ha ?? this.#obstacle(node, host, free);
      if (why !== undefined) reasons.push(`${host}: ${why}`);
      return why === undefined ? [{ host, free }] : [];
    });
    const equals = (host: string) =>
      (this.#nodes.get(host) ?? []).filter((role) => role === node.role).length;
    const [best] = fitting.sort(
      (a, b) => equals(a.host) - equals(b.host) || b.free - a.free || (a.host < b.host ? -1 : 1),
    );
    if (best) return { host: best.host };
    return {
      why: reasons.length > 0 ? reasons.join('; ') : 'no other host is up',
      onlyHa: byHa > 0 && byHa === reasons.length,
    };
  }

  take(host: string, node: NodeDesign): void {
    if (observedOn(node, this.observed, host)) return;
    this.#free.set(host, (this.#free.get(host) ?? 0) - memory(node));
    this.#nodes.set(host, [...(this.#nodes.get(host) ?? []), node.role]);
    for (const [storage, size] of this.#routes(node, host).flatMap(({ copies }) => Object.entries(copies))) {
      const place = `${host}/${storage}`;
      this.#promised.set(place, (this.#promised.get(place) ?? 0) + size);
    }
  }

  /** A move that was cut off goes on to where it began to go. */
  #followed(node: NodeDesign): string | undefined {
    const elsewhere = [node.talosVm.vmid, node.dataVm?.vmid ?? node.talosVm.vmid]
      .flatMap((vmid) => visibleVm(this.observed, vmid)?.host ?? [])
      .find((host) => host !== this.leaving);
    return elsewhere;
  }

  #obstacle(node: NodeDesign, host: string, free: number): string | undefined {
    if (free < memory(node))
      return `${formatSize(bytes(Math.max(0, free)))} of memory are free, it needs ${formatSize(bytes(memory(node)))}`;
    const skew = versionSkew(this.observed, this.leaving, host);
    if (skew !== undefined) return skew;
    const isLeft = this.observed.ha?.known && this.observed.ha.value.hosts[host] === 'maintenance';
    if (isLeft) return 'HA has it in maintenance, and moves VMs away from it';
    const views = this.#views(node);
    // A config that cannot be read, because its host is lost: what oxherd.yaml asks for must be there.
    if (views.length === 0) return hostResourceProblems(nodeOn(node, host), this.observed)[0]?.message;
    return this.#storageObstacle(node, host) ?? this.#machineObstacle(views, host);
  }

  #views({ talosVm, dataVm }: NodeDesign): VmView[] {
    return [talosVm.vmid, ...(dataVm ? [dataVm.vmid] : [])]
      .flatMap((vmid) => visibleVm(this.observed, vmid) ?? [])
      .flatMap((vm) => vmView(vm) ?? []);
  }

  #routes(node: NodeDesign, host: string): Route[] {
    return this.#views(node)
      .filter(({ vm }) => vm.host !== host)
      .map((view) => migrationRoute(view, nodeOn(node, host), this.observed, host));
  }

  #storageObstacle(node: NodeDesign, host: string): string | undefined {
    const { observed } = this;
    const routes = this.#routes(node, host);
    const there = (name: string) => observed.storages[`${host}/${name}`];
    const shared = sharedStorages(this.#views(node), observed);
    const missing = [...routes.flatMap((route) => route.stranded), ...shared.filter((name) => !there(name))];
    if (missing.length > 0) return `it has no storage ${[...new Set(missing)].sort().join(', ')}`;
    const copies = routes.map((route) => route.copies);
    const inactive = [...copies.flatMap(Object.keys), ...shared].filter((name) => !there(name)?.active);
    if (inactive.length > 0) return `storage ${[...new Set(inactive)].sort().join(', ')} is not active there`;
    const promised = (storage: string) => this.#promised.get(`${host}/${storage}`) ?? 0;
    return lacksOfSpace(observed, host, copies, promised)[0]?.why;
  }

  /** What the VM has now: a node is not changed on its way. */
  #machineObstacle(views: readonly VmView[], host: string): string | undefined {
    const { cores = 1, sockets = 1, ...config } = views[0]?.effective ?? {};
    const needs = {
      host,
      vcpus: Number(cores) * Number(sockets),
      nets: netsOf(config),
      storages: [],
      mappings: [],
    };
    const bridges = this.observed.bridges[host];
    const { cpus } = this.observed.hosts[host] ?? {};
    return unmetNeeds(needs, { cpus, ...(bridges?.known && { bridges: bridges.value }) })[0]?.message;
  }
}

/** What it goes on using from there: the host must have it. */
function sharedStorages(views: readonly VmView[], observed: Observed): string[] {
  return views.flatMap((view) =>
    volumeLines(view, observed)
      .filter(({ shared }) => shared)
      .map(({ drive }) => storageOfVolume(drive.file)),
  );
}

/** What runs there may use all that it was promised; and what Proxmox counts is used already. */
export function freeMemory({ hosts, taken }: Observed, name: string): number {
  const host = hosts[name];
  if (host?.memory === undefined) return 0;
  const promised = Object.values(taken)
    .filter((vm) => vm.host === name && vm.status === 'running')
    .reduce((sum, vm) => sum + (vm.memory ?? 0), 0);
  return host.memory - Math.max(promised, host.memoryUsed ?? 0) - HEADROOM;
}

function observedOn(node: NodeDesign, observed: Observed, host: string): boolean {
  return visibleVm(observed, node.talosVm.vmid)?.host === host;
}

function memory(node: NodeDesign): number {
  return Number(node.talosVm.options.memory ?? 0) * 1024 ** 2;
}

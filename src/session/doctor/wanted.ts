/** What the design wants of each host. */
import type { Config } from '../../config/config.js';
import type { Design, VmDesign } from '../../design/design.js';
import { compareText } from '../../model/natural-order.js';

interface WantedStorage {
  readonly host: string;
  readonly storage: string;
  /** vmid → bytes it should own there. */
  readonly bytes: ReadonlyMap<number, number>;
}

/** Storages on which VMs get volumes, per host. */
export function storagesOf(design: Design): WantedStorage[] {
  const wanted = new Map<string, { host: string; storage: string; bytes: Map<number, number> }>();
  const add = (host: string, storage: string, vmid: number, size: number) => {
    const key = `${host}/${storage}`;
    const entry = wanted.get(key) ?? { host, storage, bytes: new Map() };
    wanted.set(key, entry);
    entry.bytes.set(vmid, (entry.bytes.get(vmid) ?? 0) + size);
  };
  for (const node of design.nodes) {
    for (const drive of node.drives) add(node.host, drive.storage, drive.owner, drive.size);
    for (const vm of [node.talosVm, node.dataVm]) {
      for (const storage of auxiliaryStorages(vm)) add(node.host, storage, vm?.vmid ?? 0, 0);
    }
  }
  for (const volume of design.csiVolumes) add(volume.host, volume.storage, volume.vmid, volume.size);
  return [...wanted.values()].sort((a, b) => compareText(`${a.host}/${a.storage}`, `${b.host}/${b.storage}`));
}

function auxiliaryStorages(vm: VmDesign | undefined): string[] {
  return Object.values(vm?.auxiliary ?? {}).flatMap((drive) => ('storage' in drive ? [drive.storage] : []));
}

/** Bridges in use, with the VLAN tag that a right may be limited to. */
export function bridgesOf(config: Config, design: Design): { host: string; bridge: string; vlan?: number }[] {
  const hostOf = new Map(design.nodes.map((node) => [node.name, node.host]));
  const wanted = new Map<string, { host: string; bridge: string; vlan?: number }>();
  for (const node of config.nodes) {
    const host = hostOf.get(node.name) ?? node.host;
    for (const { bridge, vlan } of node.nics) {
      const tagged = vlan !== undefined && vlan > 0;
      wanted.set(`${host}/${bridge}/${vlan ?? 0}`, { host, bridge, ...(tagged && { vlan }) });
    }
  }
  return [...wanted.values()];
}

export function hostsOf(design: Design): string[] {
  const hosts = [
    ...design.nodes.map((node) => node.host),
    ...design.csiVolumes.map((volume) => volume.host),
    ...design.images.map((image) => image.host),
  ];
  return [...new Set(hosts)].sort();
}

/** One Proxmox host: what it is and what it has. */

import { apiCall } from '../api-call.js';
import type { ApiSession } from '../api-session.js';
import { asList, asRecord, commaList, flag, number, optionalNumber, optionalText, text } from '../decode.js';

interface HostStatus {
  readonly node: string;
  /** `pve-manager/9.2.11/14a22df3` */
  readonly version: string;
  readonly cpus: number | undefined;
  readonly memory: { readonly total: number; readonly used: number; readonly free: number } | undefined;
}

export interface StorageStatus {
  readonly storage: string;
  readonly type: string;
  /** `images`, `import`, `iso`, … */
  readonly content: readonly string[];
  readonly active: boolean;
  readonly enabled: boolean;
  readonly shared: boolean;
  readonly total: number | undefined;
  readonly used: number | undefined;
  readonly available: number | undefined;
}

export interface NetworkInterface {
  readonly iface: string;
  /** `bridge`, `OVSBridge`, `bond`, `eth`, `vlan`, `vnet` … */
  readonly type: string;
  readonly active: boolean;
  readonly vlanAware: boolean;
  /** Absent: the kernel's own, 1500. */
  readonly mtu?: number;
  /** Of a bridge. */
  readonly ports: readonly string[];
  readonly cidr: string | undefined;
  /** Of the host itself, on the interface that has its default route. */
  readonly gateway: string | undefined;
}

export interface CpuModel {
  readonly name: string;
  readonly custom: boolean;
}

export interface HostCalls {
  nodeStatus(node: string): Promise<HostStatus>;
  /** Seconds since the epoch, as the host's clock has them. */
  nodeTime(node: string): Promise<number>;
  /** Storages that the host has and the token may see. */
  storages(node: string): Promise<StorageStatus[]>;
  network(node: string): Promise<NetworkInterface[]>;
  /** Bridges a VM may be plugged into, SDN's included. */
  bridges(node: string): Promise<NetworkInterface[]>;
  cpuModels(node: string): Promise<CpuModel[]>;
}

export function hostCalls(session: ApiSession): HostCalls {
  const call = apiCall(session);
  const interfaces = async (node: string, type?: string) =>
    asList((await call('GET /nodes/{node}/network', { node, type })).data, 'network', (record) => {
      const mtu = optionalNumber(record, 'mtu') ?? optionalNumber(record, 'ovs_mtu');
      const ports = optionalText(record, 'bridge_ports') ?? optionalText(record, 'ovs_ports') ?? '';
      return {
        iface: text(record, 'iface'),
        type: optionalText(record, 'type') ?? 'unknown',
        active: flag(record, 'active'),
        vlanAware: flag(record, 'bridge_vlan_aware'),
        ...(mtu !== undefined && { mtu }),
        ports: ports.split(/\s+/).filter((port) => port !== '' && port !== 'none'),
        cidr: optionalText(record, 'cidr'),
        gateway: optionalText(record, 'gateway'),
      };
    });

  return {
    async nodeStatus(node) {
      const record = asRecord((await call('GET /nodes/{node}/status', { node })).data, 'host status');
      const memory = record.memory === undefined ? undefined : asRecord(record.memory, 'memory');
      const cpu = record.cpuinfo === undefined ? undefined : asRecord(record.cpuinfo, 'cpuinfo');
      return {
        node,
        version: optionalText(record, 'pveversion') ?? '',
        cpus: cpu && optionalNumber(cpu, 'cpus'),
        memory: memory && {
          total: number(memory, 'total'),
          used: number(memory, 'used'),
          free: number(memory, 'free'),
        },
      };
    },
    async nodeTime(node) {
      return number(asRecord((await call('GET /nodes/{node}/time', { node })).data, 'time'), 'time');
    },
    async storages(node) {
      return asList((await call('GET /nodes/{node}/storage', { node })).data, 'storages', (record) => ({
        storage: text(record, 'storage'),
        type: optionalText(record, 'type') ?? 'unknown',
        content: commaList(record, 'content'),
        active: flag(record, 'active'),
        enabled: flag(record, 'enabled'),
        shared: flag(record, 'shared'),
        total: optionalNumber(record, 'total'),
        used: optionalNumber(record, 'used'),
        available: optionalNumber(record, 'avail'),
      }));
    },
    network: (node) => interfaces(node),
    bridges: (node) => interfaces(node, 'any_bridge'),
    async cpuModels(node) {
      return asList(
        (await call('GET /nodes/{node}/capabilities/qemu/cpu', { node })).data,
        'CPU models',
        (record) => ({
          name: text(record, 'name'),
          custom: flag(record, 'custom'),
        }),
      );
    },
  };
}

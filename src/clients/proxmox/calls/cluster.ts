/** The cluster as a whole: who is in it, what runs where, what the token may do. */

import type { Permissions } from '../../../formats/proxmox/permissions.js';
import { apiCall } from '../api-call.js';
import type { ApiSession } from '../api-session.js';
import {
  asList,
  asNumber,
  asRecord,
  flag,
  type Json,
  number,
  optionalNumber,
  optionalText,
  text,
} from '../decode.js';
import { isProxmoxError } from '../errors.js';

interface ProxmoxVersion {
  /** `9.2.11` */
  readonly version: string;
  readonly release: string;
}

export interface HostEntry {
  readonly node: string;
  readonly online: boolean;
  readonly cpus: number | undefined;
  readonly memory: number | undefined;
  readonly memoryUsed: number | undefined;
  /** SHA-256 of its certificate, upper-case hex with colons. */
  readonly fingerprint: string | undefined;
}

export interface ClusterStatus {
  /** `undefined`: a single host that is in no cluster. */
  readonly name: string | undefined;
  readonly quorate: boolean;
  readonly hosts: readonly {
    readonly name: string;
    readonly online: boolean;
    readonly ip: string | undefined;
  }[];
}

export interface VmResource {
  readonly type: 'qemu' | 'lxc';
  readonly vmid: number;
  readonly node: string;
  /** Known some seconds after a VM was made. */
  readonly name: string | undefined;
  /** `unknown` for a VM just made, and for those of a host that does not answer. */
  readonly status: 'running' | 'stopped' | 'paused' | 'unknown';
  readonly tags: readonly string[];
  readonly template: boolean;
  readonly lock: string | undefined;
  readonly pool: string | undefined;
  readonly haState: string | undefined;
  readonly cpus: number | undefined;
  readonly memory: number | undefined;
  readonly disk: number | undefined;
}

export interface PciMappingEntry {
  readonly id: string;
  readonly description: string | undefined;
  /** Hosts on which the mapping names a device. */
  readonly nodes: readonly string[];
  readonly map: readonly string[];
}

export interface ReplicationJob {
  readonly id: string;
  readonly guest: number;
  readonly target: string;
}

export interface ClusterVotes {
  /** Host → its votes. */
  readonly hosts: Readonly<Record<string, number>>;
  /** What a QDevice that is connected gives; 0: there is none. */
  readonly qdevice: number;
}

export interface ClusterCalls {
  version(): Promise<ProxmoxVersion>;
  nodes(): Promise<HostEntry[]>;
  clusterStatus(): Promise<ClusterStatus>;
  /** How corosync counts. */
  clusterVotes(): Promise<ClusterVotes>;
  /** Every VM and container that the token may see. */
  vms(): Promise<VmResource[]>;
  /** Of the token itself; all paths that have an entry, or one path. */
  permissions(path?: string): Promise<Permissions>;
  pciMappings(): Promise<PciMappingEntry[]>;
  /** Jobs that copy a guest's disks to another host; those that the token may see. */
  replicationJobs(): Promise<ReplicationJob[]>;
  /** Whether no VM or container has this id, one that the token may not see included. */
  isFreeId(vmid: number): Promise<boolean>;
}

export function clusterCalls(session: ApiSession): ClusterCalls {
  const call = apiCall(session);
  return {
    async version() {
      const record = asRecord((await call('GET /version', {})).data, 'version');
      return { version: text(record, 'version'), release: text(record, 'release') };
    },
    async nodes() {
      return asList((await call('GET /nodes', {})).data, 'nodes', (record) => ({
        node: text(record, 'node'),
        online: optionalText(record, 'status') === 'online',
        cpus: optionalNumber(record, 'maxcpu'),
        memory: optionalNumber(record, 'maxmem'),
        memoryUsed: optionalNumber(record, 'mem'),
        fingerprint: optionalText(record, 'ssl_fingerprint'),
      }));
    },
    async clusterStatus() {
      const entries = asList(
        (await call('GET /cluster/status', {})).data,
        'cluster status',
        (record) => record,
      );
      const cluster = entries.find((record) => record.type === 'cluster');
      return {
        name: cluster && optionalText(cluster, 'name'),
        // A host that is in no cluster needs no one's vote.
        quorate: cluster ? flag(cluster, 'quorate') : true,
        hosts: entries
          .filter((record) => record.type === 'node')
          .map((record) => ({
            name: text(record, 'name'),
            online: flag(record, 'online'),
            ip: optionalText(record, 'ip'),
          })),
      };
    },
    clusterVotes: () => readVotes(session),
    async vms() {
      return asList((await call('GET /cluster/resources', { type: 'vm' })).data, 'resources', readVm);
    },
    async permissions(path) {
      const record = asRecord((await call('GET /access/permissions', { path })).data, 'permissions');
      return Object.fromEntries(
        Object.entries(record).map(([at, held]) => {
          const privileges = asRecord(held, at);
          return [
            at,
            Object.fromEntries(Object.keys(privileges).map((name) => [name, flag(privileges, name)])),
          ];
        }),
      );
    },
    async pciMappings() {
      return asList((await call('GET /cluster/mapping/pci', {})).data, 'PCI mappings', (record) => {
        const map = Array.isArray(record.map) ? record.map.map(String) : [];
        const nodes = map.flatMap((entry) => /(?:^|,)node=([^,]+)/.exec(entry)?.[1] ?? []);
        return {
          id: text(record, 'id'),
          description: optionalText(record, 'description'),
          nodes: [...new Set(nodes)],
          map,
        };
      });
    },
    async replicationJobs() {
      return asList((await call('GET /cluster/replication', {})).data, 'replication jobs', (record) => ({
        id: text(record, 'id'),
        guest: number(record, 'guest'),
        target: text(record, 'target'),
      }));
    },
    async isFreeId(vmid) {
      try {
        return asNumber((await call('GET /cluster/nextid', { vmid })).data, 'nextid') === vmid;
      } catch (error) {
        // `vmid: VM 151 already exists` (pve-manager, PVE/API2/Cluster.pm); every other refusal proves nothing.
        if (isProxmoxError(error) && error.errors.vmid?.includes('already exists')) return false;
        throw error;
      }
    },
  };
}

async function readVotes(session: ApiSession): Promise<ClusterVotes> {
  const nodes = asList(
    (await session.request('GET', '/cluster/config/nodes')).data,
    'cluster nodes',
    (record) => [text(record, 'node'), optionalNumber(record, 'quorum_votes') ?? 1] as const,
  );
  const device = asRecord((await session.request('GET', '/cluster/config/qdevice')).data ?? {}, 'QDevice');
  const isUp = /connected/i.test(optionalText(device, 'State') ?? '');
  // The last man standing has a vote for all the others; else it is the one that breaks a tie.
  const lastMan = /last man standing|lms/i.test(optionalText(device, 'Algorithm') ?? '');
  return {
    hosts: Object.fromEntries(nodes),
    qdevice: isUp ? (lastMan ? Math.max(1, nodes.length - 1) : 1) : 0,
  };
}

export function readVm(record: Json): VmResource {
  return {
    type: optionalText(record, 'type') === 'lxc' ? 'lxc' : 'qemu',
    vmid: number(record, 'vmid'),
    node: text(record, 'node'),
    name: optionalText(record, 'name'),
    status: readStatus(optionalText(record, 'status')),
    tags: readTags(optionalText(record, 'tags')),
    template: flag(record, 'template'),
    lock: optionalText(record, 'lock'),
    pool: optionalText(record, 'pool'),
    haState: optionalText(record, 'hastate'),
    cpus: optionalNumber(record, 'maxcpu'),
    memory: optionalNumber(record, 'maxmem'),
    disk: optionalNumber(record, 'maxdisk'),
  };
}

export function readStatus(status: string | undefined): VmResource['status'] {
  return status === 'running' || status === 'stopped' || status === 'paused' ? status : 'unknown';
}

function readTags(tags: string | undefined): string[] {
  return (tags ?? '').split(/[;, ]/).filter(Boolean);
}

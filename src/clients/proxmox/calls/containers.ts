/** Containers of others: read, so that what they use is not taken from them. oxherd makes none and changes none. */
import type { PendingConfig } from '../../../formats/proxmox/vm-config.js';
import type { ApiSession } from '../api-session.js';
import { asList, asRecord, optionalText, text, textValues } from '../decode.js';
import { encodeSegment } from '../encode.js';
import { readStatus, type VmResource } from './cluster.js';
import { readPendingList } from './vms.js';

export interface ContainerCalls {
  containerPending(node: string, vmid: number): Promise<PendingConfig>;
  /** The config that a snapshot holds. */
  containerSnapshot(node: string, vmid: number, snapshot: string): Promise<Record<string, string>>;
  containerSnapshots(node: string, vmid: number): Promise<string[]>;
  containerStatus(node: string, vmid: number): Promise<VmResource['status']>;
}

/** Containers are not in the part of the API's schema that types are made from. */
export function containerCalls(session: ApiSession): ContainerCalls {
  const get = async (node: string, vmid: number, what: string, params: Record<string, string> = {}) =>
    (
      await session.request(
        'GET',
        `/nodes/${encodeSegment(node)}/lxc/${encodeSegment(String(vmid))}/${what}`,
        params,
      )
    ).data;
  return {
    containerPending: async (node, vmid) => readPendingList(await get(node, vmid, 'pending')),
    async containerSnapshot(node, vmid, snapshot) {
      const { digest: _, ...values } = textValues(
        asRecord(await get(node, vmid, 'config', { snapshot }), 'container config'),
      );
      return values;
    },
    async containerSnapshots(node, vmid) {
      const names = asList(await get(node, vmid, 'snapshot'), 'snapshots', (record) => text(record, 'name'));
      return names.filter((name) => name !== 'current');
    },
    async containerStatus(node, vmid) {
      const record = asRecord(await get(node, vmid, 'status/current'), 'container status');
      return readStatus(optionalText(record, 'status'));
    },
  };
}

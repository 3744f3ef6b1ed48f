/** Hosts, VMs and storages of the whole cluster in one request. */

import { apiCall } from '../api-call.js';
import type { ApiSession } from '../api-session.js';
import { asList, commaList, flag, optionalNumber, optionalText, text } from '../decode.js';
import { readVm, type VmResource } from './cluster.js';

interface HostResource {
  readonly node: string;
  readonly online: boolean;
  /** Its pvestatd has not reported for some minutes, or it has just started; it may well be up. */
  readonly unreported: boolean;
  readonly cpus: number | undefined;
  readonly memory: number | undefined;
  readonly memoryUsed: number | undefined;
}

interface StorageResource {
  readonly node: string;
  readonly storage: string;
  readonly type: string;
  readonly content: readonly string[];
  readonly shared: boolean;
  readonly available: boolean;
  readonly total: number | undefined;
  readonly used: number | undefined;
}

export interface Resources {
  readonly hosts: readonly HostResource[];
  readonly vms: readonly VmResource[];
  readonly storages: readonly StorageResource[];
}

export interface ResourceCalls {
  resources(): Promise<Resources>;
}

export function resourceCalls(session: ApiSession): ResourceCalls {
  return {
    async resources() {
      const { data } = await apiCall(session)('GET /cluster/resources', {});
      const records = asList(data, 'resources', (record) => record);
      const ofType = (...types: string[]) =>
        records.filter((record) => types.includes(optionalText(record, 'type') ?? ''));
      return {
        hosts: ofType('node').map((record) => ({
          node: text(record, 'node'),
          online: optionalText(record, 'status') === 'online',
          unreported: optionalText(record, 'status') === 'unknown',
          cpus: optionalNumber(record, 'maxcpu'),
          memory: optionalNumber(record, 'maxmem'),
          memoryUsed: optionalNumber(record, 'mem'),
        })),
        vms: ofType('qemu', 'lxc').map(readVm),
        storages: ofType('storage').map((record) => ({
          node: text(record, 'node'),
          storage: text(record, 'storage'),
          type: optionalText(record, 'plugintype') ?? '',
          content: commaList(record, 'content'),
          shared: flag(record, 'shared'),
          available: optionalText(record, 'status') === 'available',
          total: optionalNumber(record, 'maxdisk'),
          used: optionalNumber(record, 'disk'),
        })),
      };
    },
  };
}

import type { VmRecord } from '../db.js';
import type { Config } from './config/vm-config.js';

export function newVm(host: string, vmid: number, config: Config): VmRecord {
  return { vmid, host, config, pending: { set: {}, delete: [] }, snapshots: {}, template: false };
}

/** `vm_advanced`: hardware that nodes share, and what one has of its own. */
import type { NodeConfig } from '../../config/config.js';
import { MIB } from '../../model/size.js';
import type { Values } from './values.js';

/** Keys that may be null: `null` cannot be said over another value, so these are shared by all nodes or by none. */
const NULLABLE = ['net_queues', 'disk_backup', 'disk_cache', 'disk_aio'];

export function sharedAdvanced([first, ...others]: readonly NodeConfig[]): Values {
  if (!first) return {};
  const shared = advancedOf(first);
  const rest = others.map(advancedOf);
  for (const key of NULLABLE) if (rest.some((each) => each[key] !== shared[key])) shared[key] = null;
  return shared;
}

export function advancedOf({ vm, nics: [nic] }: NodeConfig): Values {
  const { diskOptions } = vm;
  return {
    bios: vm.bios,
    machine: vm.machine,
    cpu_type: vm.cpuType,
    scsi_hw: vm.scsiHardware,
    balloon: vm.balloon / MIB,
    numa: vm.numa,
    qemu_agent: vm.agent,
    net_queues: nic?.queues ?? null,
    disk_discard: diskOptions.discard,
    disk_ssd: diskOptions.ssd,
    tags: [...vm.tags],
    network_bridge: nic?.bridge ?? 'vmbr0',
    ostype: vm.ostype,
    disk_backup: diskOptions.backup ?? null,
    disk_replicate: diskOptions.replicate,
    disk_cache: diskOptions.cache ?? null,
    disk_aio: diskOptions.aio ?? null,
    disk_iothread: diskOptions.iothread,
    net_firewall: nic?.firewall ?? false,
    on_boot: vm.onBoot,
  };
}

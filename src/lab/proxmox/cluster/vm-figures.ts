/** What a VM's config says of its size. */
import type { VmRecord } from '../db.js';

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

interface VmFigures {
  readonly cpus: number;
  readonly memory: number;
  /** Size of the first disk it boots from; 0: none. */
  readonly disk: number;
}

export function vmFigures(config: VmRecord['config']): VmFigures {
  const whole = (text: string | undefined, fallback: number) =>
    text !== undefined && /^\d+$/.test(text) ? Number(text) : fallback;
  const [, memory] = /(?:^|current=)(\d+)/.exec(config.memory ?? '') ?? [];
  const most = whole(config.sockets, 1) * whole(config.cores, 1);
  return {
    cpus: config.vcpus === undefined ? most : Math.min(whole(config.vcpus, most), most),
    memory: whole(memory, 512) * 2 ** 20,
    disk: bootDiskSize(config),
  };
}

function bootDiskSize(config: VmRecord['config']): number {
  const order = /order=([^,]*)/.exec(config.boot ?? '')?.[1]?.split(';') ?? [];
  const disk = order.find(
    (device) => /^(ide|sata|scsi|virtio)\d+$/.test(device) && !config[device]?.includes('media=cdrom'),
  );
  const [, number, unit = ''] = /\bsize=(\d+)([KMGT]?)/.exec(config[disk ?? ''] ?? '') ?? [];
  return number === undefined ? 0 : Number(number) * (UNITS[unit] ?? 1);
}

/** How much memory of each host this cluster may use: what others were promised, or use, is theirs. */
import type { HostMemory } from '../../design/host-loads.js';

/** Kept free on every host: Proxmox itself, and what VMs take besides their memory. */
const HEADROOM = 512 * 1024 ** 2;
/** What Proxmox counts changes from second to second; a plan should not. */
const STEP = 4 * 1024 ** 3;

interface Host {
  readonly name: string;
  readonly online: boolean;
  readonly memory?: number | undefined;
  readonly memoryUsed?: number | undefined;
}

interface Guest {
  readonly vmid: number;
  readonly host: string;
  readonly status: string;
  readonly memory?: number | undefined;
}

/** Hosts whose size is unknown are left out; one that is down has nothing to give. */
export function hostMemory(
  hosts: readonly Host[],
  guests: readonly Guest[],
  ours: ReadonlySet<number>,
): HostMemory {
  return new Map(
    hosts.flatMap(({ name, online, memory, memoryUsed }): [string, number][] => {
      if (!online) return [[name, 0]];
      if (memory === undefined) return [];
      const running = guests.filter((guest) => guest.host === name && guest.status === 'running');
      const sum = (isOurs: boolean) =>
        running
          .filter(({ vmid }) => ours.has(vmid) === isOurs)
          .reduce((total, guest) => total + (guest.memory ?? 0), 0);
      const used = Math.ceil(((memoryUsed ?? 0) - sum(true)) / STEP) * STEP;
      return [[name, Math.max(0, memory - Math.max(sum(false), used > STEP ? used : 0) - HEADROOM)]];
    }),
  );
}

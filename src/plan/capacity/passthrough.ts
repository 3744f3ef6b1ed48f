/** Whether reserved appliances have the devices that are passed through to them. */
import type { Config } from '../../config/config.js';
import type { Note } from '../plan.js';
import { type CapacityFacts, isReservationOf } from './usage.js';

/** A VM whose config tells, and where it is. */
interface Appliance {
  readonly reservation: string;
  readonly vmid: number;
  readonly host: string;
}

/** VMs of reservations with a device, as far as they were found. */
export function appliancesWithDevices(config: Config, observed: CapacityFacts): readonly Appliance[] {
  return config.hosts.flatMap((host) =>
    host.reservations
      .filter((reservation) => reservation.passthrough !== undefined)
      .flatMap((reservation) => {
        const vm = Object.values(observed.taken).find((each) => isReservationOf(reservation, each));
        return vm ? [{ reservation: reservation.name, vmid: vm.vmid, host: vm.host }] : [];
      }),
  );
}

/** `keys`: those of the appliance's config in Proxmox. */
export function passthroughNote({ reservation, vmid }: Appliance, keys: readonly string[]): Note | undefined {
  if (keys.some((key) => /^hostpci\d+$/.test(key))) return undefined;
  return { code: 'drift', message: `${reservation}: VM ${vmid} has no PCI device passed through to it` };
}

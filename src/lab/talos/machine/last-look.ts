import type { Machine, Room } from './machine.js';

/**
 * Which machines have to be looked at when something happened: those whose own records are others than at the last look, all
 * of them when faults or networks changed, and control planes at every look, because they depend on each other.
 */
export class LastLook {
  readonly #seen = new WeakMap<Machine, readonly unknown[]>();
  #surroundings = '';

  /** The machines in question; from now on they count as looked at. */
  take(room: Room): Machine[] {
    const surroundings = JSON.stringify([
      room.core.faults.list(),
      [...room.db.routers.entries()],
      [...room.db.bridges.entries()],
    ]);
    const all = surroundings !== this.#surroundings;
    this.#surroundings = surroundings;
    return [...room.machines()].filter((machine) => this.#isNews(machine) || all || machine.isControlPlane);
  }

  #isNews(machine: Machine): boolean {
    const { room, vmid, record, config } = machine;
    const [oldRecord, oldConfig, oldHardware, oldHook] = this.#seen.get(machine) ?? [];
    const hardware = room.hypervisor.hardware(vmid);
    if (
      record === oldRecord &&
      config === oldConfig &&
      hardware === oldHardware &&
      room.kubernetes === oldHook
    ) {
      return false;
    }
    this.#seen.set(machine, [record, config, hardware, room.kubernetes]);
    return true;
  }
}

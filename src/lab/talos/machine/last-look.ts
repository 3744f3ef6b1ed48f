import type { Machine, Room } from './machine.js';

/** Records are replaced, never changed: the same object says the same. */
interface Seen {
  readonly record: unknown;
  readonly config: unknown;
  readonly hardware: unknown;
  readonly controlPlane: boolean;
}

/**
 * Which machines have to be looked at when something happened: those whose own records are others than at the last look, and
 * all of them when their surroundings changed. Control planes are looked at each time, because they depend on each other.
 */
export class LastLook {
  readonly #seen = new WeakMap<Machine, Seen>();
  #controlPlanes: readonly Machine[] = [];
  #surroundings: readonly unknown[] = [];
  /** Machines whose records or hardware may be others since the last look. */
  #changed = new Set<number>();
  #anyChanged = true;

  constructor(private readonly room: Room) {
    const note = (key: string) => void this.#changed.add(Number(key));
    room.db.machines.watch(note);
    room.db.configs.watch(note);
    room.hypervisor.watch?.((vmid) => {
      if (vmid === undefined) this.#anyChanged = true;
      else this.#changed.add(vmid);
    });
  }

  /** The machines in question; from now on they count as looked at. */
  take(): { readonly machines: readonly Machine[]; readonly controlPlanes: readonly Machine[] } {
    const all = [...this.room.machines()];
    const changed = this.#changed;
    const any = this.#anyChanged || !this.room.hypervisor.watch;
    this.#changed = new Set();
    this.#anyChanged = false;
    const maybe = all.filter((machine) => any || changed.has(machine.vmid) || !this.#seen.has(machine));
    const news = new Set(maybe.filter((machine) => this.#isNews(machine)));
    this.#controlPlanes = all.filter((machine) => this.#seen.get(machine)?.controlPlane);
    for (const machine of this.#controlPlanes) news.add(machine);
    const before = this.#surroundings;
    this.#surroundings = this.#around();
    const machines = same(before, this.#surroundings) ? all.filter((machine) => news.has(machine)) : all;
    return { machines, controlPlanes: this.#controlPlanes };
  }

  /** Whether the surroundings are others than at the last look: then all machines have to be looked at again. */
  moved(): boolean {
    return !same(this.#surroundings, this.#around());
  }

  #isNews(machine: Machine): boolean {
    const { room, vmid, record, config } = machine;
    const hardware = room.hypervisor.hardware(vmid);
    const seen = this.#seen.get(machine);
    if (seen && seen.record === record && seen.config === config && seen.hardware === hardware) return false;
    this.#seen.set(machine, { record, config, hardware, controlPlane: machine.isControlPlane });
    return true;
  }

  /**
   * What a machine depends on that is not its own: faults, routers and bridges; the part that is told of kubelets; and control
   * planes, which give a worker its certificate: without it, its API does not open.
   */
  #around(): unknown[] {
    const { core, db, kubernetes } = this.room;
    return [
      kubernetes,
      ...core.faults.list(),
      'routers',
      ...[...db.routers.entries()].flat(),
      'bridges',
      ...[...db.bridges.entries()].flat(),
      'control planes',
      ...this.#controlPlanes.flatMap(({ key }) => [key, db.machines.get(key), db.configs.get(key)]),
    ];
  }
}

function same(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && before.every((one, index) => one === now[index]);
}

/** What must not be done to data: a volume taken from a machine that uses it, a control plane taken down without a snapshot. */
import type { Twin } from './start-twin.js';

/** A drain may take as long between the snapshot and the moment at which the node goes. */
const DRAIN_MS = 30 * 60_000;

export class DataWatch {
  /** Control planes that were up with a member of etcd at the last look. */
  #members: readonly number[];

  constructor(
    private readonly twin: Twin,
    /** Control planes before which a snapshot is due, and how old it may be. */
    private readonly snapshots: { readonly vms: readonly number[]; readonly maxAgeMs: number },
  ) {
    this.#members = this.#membersUp();
  }

  /** Volumes whose drive is gone while their machine has them mounted. */
  takenVolumes(): string[] {
    return [...this.twin.room.machines()].flatMap((machine) => {
      const { stage, volumes } = machine.record;
      if (stage !== 'running') return [];
      const slots = new Set(machine.hardware.drives.map(({ slot }) => slot));
      return volumes
        .filter(({ phase, slot }) => phase === 'ready' && slot !== undefined && !slots.has(slot))
        .map(({ id }) => `${id} of VM ${machine.vmid}`);
    });
  }

  /** Control planes that went down just now, though no snapshot of etcd is new enough. */
  withoutSnapshot(): number[] {
    const before = this.#members;
    this.#members = this.#membersUp();
    const taken = [...this.twin.room.db.etcd.values()].map(({ snapshotAt = 0 }) => snapshotAt);
    const oldest = this.twin.lab.clock.now() - this.snapshots.maxAgeMs - DRAIN_MS;
    return Math.max(0, ...taken) >= oldest ? [] : before.filter((vmid) => !this.#isUp(vmid));
  }

  #membersUp(): number[] {
    const { room } = this.twin;
    return this.snapshots.vms.filter(
      (vmid) => this.#isUp(vmid) && room.machine(vmid)?.service('etcd')?.state === 'Running',
    );
  }

  #isUp(vmid: number): boolean {
    return this.twin.room.machine(vmid)?.record.stage === 'running';
  }
}

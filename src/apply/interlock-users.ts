/** Which VMs name a volume: any VM of the Proxmox cluster that the token may see, its pending part and its snapshots. */
import type { ProxmoxReads } from '../clients/proxmox/reads-and-writes.js';
import { sectionName, type VolumeReference } from '../formats/vm-config.js';
import type { Clock } from '../model/clock.js';
import { readIfThere } from './interlock-reading.js';

export interface VolumeUser {
  readonly vmid: number;
  readonly node: string;
  readonly running: boolean;
  readonly reference: VolumeReference;
}

/** How old the list of users may be: many calls of a run come in a row, and each would read every VM again. */
const FRESH_MS = 10_000;

export class VolumeUsers {
  #read: { readonly at: number; readonly users: Promise<VolumeUser[]> } | undefined;

  constructor(
    private readonly client: ProxmoxReads,
    private readonly clock: Pick<Clock, 'now'> | undefined,
  ) {}

  /** Users of these volumes, the given VMs left out. Who seems to be one is asked again: it may have detached it since. */
  async of(volids: Iterable<string>, except: readonly number[]): Promise<VolumeUser[]> {
    const wanted = new Set(volids);
    if (wanted.size === 0) return [];
    const names = ({ vmid, reference }: VolumeUser) => wanted.has(reference.volid) && !except.includes(vmid);
    const seen = new Map((await this.#all()).filter(names).map((user) => [user.vmid, user]));
    const now = await Promise.all(
      [...seen.values()].map(({ node, vmid, running }) => this.#usesOf(node, vmid, running)),
    );
    return now.flat().filter(names);
  }

  /** Whether the VM runs at this moment; the cluster's list is behind. */
  async runs({ node, vmid }: VolumeUser): Promise<boolean> {
    return (await this.client.vmStatus(node, vmid)).status !== 'stopped';
  }

  #all(): Promise<VolumeUser[]> {
    const now = this.clock?.now();
    if (this.#read && now !== undefined && now - this.#read.at < FRESH_MS) return this.#read.users;
    const users = this.#readAll();
    if (now !== undefined) this.#read = { at: now, users };
    users.catch(() => {
      this.#read = undefined;
    });
    return users;
  }

  async #readAll(): Promise<VolumeUser[]> {
    const vms = (await this.client.vms()).filter((vm) => vm.type === 'qemu');
    const users = await Promise.all(
      vms.map(({ node, vmid, status }) => this.#usesOf(node, vmid, status !== 'stopped')),
    );
    return users.flat();
  }

  async #usesOf(node: string, vmid: number, running: boolean): Promise<VolumeUser[]> {
    const reading = await readIfThere(this.client, node, vmid);
    return (reading?.config.references ?? []).map((reference) => ({ vmid, node, running, reference }));
  }
}

/** `VM 900 (virtio1)`, `VM 900 (scsi1, snapshot before)`. */
export function userText({ vmid, reference }: VolumeUser): string {
  const section = sectionName(reference.section);
  return `VM ${vmid} (${reference.slot}${section === undefined ? '' : `, ${section}`})`;
}

/**
 * Which guests name a volume: any VM or container of the Proxmox cluster that the token may see, now, next and in
 * snapshots, by this storage or by another one that keeps its volumes at the same place.
 */
import type { VmResource } from '../clients/proxmox/calls/cluster.js';
import type { ProxmoxReads } from '../clients/proxmox/reads-and-writes.js';
import { ownerOfVolume, storageOfVolume } from '../formats/proxmox/drive-slots.js';
import { sectionName } from '../formats/proxmox/vm-config.js';
import {
  containerNamings,
  namesVolume,
  pathOnStorage,
  sameNameElsewhere,
  type VolumeNaming,
  vmNamings,
} from '../formats/proxmox/volume-naming.js';
import { attempt } from '../observe/attempt.js';
import { readContainer } from '../observe/read-vm.js';
import { ifReadable, readVmNow } from './interlock-reading.js';
import { Reading, type RealTime } from './lock/freshness.js';

interface VolumeUser {
  readonly type: VmResource['type'];
  readonly vmid: number;
  readonly node: string;
  readonly naming: VolumeNaming;
  /** The one that was asked for. */
  readonly volid: string;
}

type Guest = Pick<VmResource, 'type' | 'vmid' | 'node'>;
type Named = Omit<VolumeUser, 'volid'>;

/** How old the list of users may be: many calls of a run come in a row, and each would read every VM again. */
const FRESH_MS = 10_000;

export class VolumeUsers {
  #read: { readonly at: Reading; readonly all: Promise<Named[]> } | undefined;

  constructor(
    private readonly client: ProxmoxReads,
    /** Absent: nothing is kept. */
    private readonly time: RealTime | undefined,
  ) {}

  /** Users of these volumes, the given VMs left out. Who seems to be one is asked again: it may have detached it since. */
  async of(volids: Iterable<string>, except: readonly number[]): Promise<VolumeUser[]> {
    const wanted = [...new Set(volids)];
    return this.#askAgain(wanted, await this.#seen(wanted, except));
  }

  /** The first guest that runs with one of these volumes, the given VM left out. */
  async runningWith(volids: Iterable<string>, vmid: number): Promise<VolumeUser | undefined> {
    const wanted = [...new Set(volids)];
    const seen = await this.#seen(wanted, [vmid]);
    const running = await Promise.all(seen.map((guest) => this.#runs(guest)));
    const users = await this.#askAgain(
      wanted,
      seen.filter((_, index) => running[index]),
    );
    return users.find(({ naming }) => naming.section === 'now');
  }

  /** Guests that seemed to use one of these volumes when all were read. */
  async #seen(wanted: readonly string[], except: readonly number[]): Promise<Guest[]> {
    if (wanted.length === 0) return [];
    const all = (await this.#all()).filter(({ vmid }) => !except.includes(vmid));
    return [...new Map(usersIn(all, wanted).map((user) => [user.vmid, user])).values()];
  }

  async #askAgain(wanted: readonly string[], guests: readonly Guest[]): Promise<VolumeUser[]> {
    const again = await Promise.all(guests.map((guest) => this.#namedBy(guest)));
    const found = usersIn(again.flatMap(orNone), wanted);
    const same = await Promise.all(found.map((user) => this.#isSame(user)));
    return found.filter((_, index) => same[index]);
  }

  /** Two storages may keep their volumes at one place; where Proxmox does not tell, they do. */
  async #isSame({ naming, node, volid }: VolumeUser): Promise<boolean> {
    if (namesVolume(naming, volid) || naming.volid === undefined) return true;
    const [one, other] = await Promise.all([this.#pathOf(node, naming.volid), this.#pathOf(node, volid)]);
    return one === undefined || other === undefined || one === other;
  }

  async #pathOf(node: string, volid: string): Promise<string | undefined> {
    const info = await attempt(() => this.client.volumeInfo(node, volid));
    return info.known ? pathOnStorage(storageOfVolume(volid), info.value.path) : undefined;
  }

  /** The first guest that may use one of these volumes and cannot be read; kept data goes only where there is none. */
  async unread(
    node: string,
    volids: readonly string[],
    except: readonly number[],
  ): Promise<string | undefined> {
    if (volids.length === 0) return undefined;
    const [guests, { storages }] = await Promise.all([this.client.vms(), this.client.resources()]);
    const isLocal = (volid: string) =>
      storages.find((one) => one.node === node && one.storage === storageOfVolume(volid))?.shared === false;
    const local = volids.every(isLocal);
    const concerns = (one: VmResource) => !except.includes(one.vmid) && (!local || one.node === node);
    const seen = await this.#unreadable(guests.filter(concerns));
    // A VM that moved meanwhile is read on its new host.
    const again = seen.length === 0 ? [] : (await this.client.vms()).filter(concerns);
    const [guest] = await this.#withoutRemoved(await this.#unreadable(again));
    return guest && `${guest.type === 'lxc' ? 'container' : 'VM'} ${guest.vmid} on ${guest.node}`;
  }

  /** This run removes others at the same moment, between the list and the reading; a free id proves that a guest is gone. */
  async #withoutRemoved<T extends Guest>(guests: readonly T[]): Promise<T[]> {
    const free = await Promise.all(guests.map(({ vmid }) => attempt(() => this.client.isFreeId(vmid))));
    return guests.filter((_, index) => {
      const id = free[index];
      return !(id?.known && id.value);
    });
  }

  /** Whether the guest runs at this moment; the cluster's list is behind. */
  async #runs({ type, node, vmid }: Guest): Promise<boolean> {
    const status = await ifReadable(async () =>
      type === 'lxc'
        ? this.client.containerStatus(node, vmid)
        : (await this.client.vmStatus(node, vmid)).status,
    );
    return status !== 'stopped';
  }

  #all(): Promise<Named[]> {
    if (this.#read && this.#read.at.age < FRESH_MS) return this.#read.all;
    const at = this.time && new Reading(this.time);
    const all = this.#readAll();
    this.#read = at && { at, all };
    all.catch(() => {
      this.#read = undefined;
    });
    return all;
  }

  async #readAll(): Promise<Named[]> {
    const guests = await this.client.vms();
    return (await Promise.all(guests.map((guest) => this.#namedBy(guest)))).flatMap(orNone);
  }

  async #unreadable<T extends Guest>(guests: readonly T[]): Promise<T[]> {
    const read = await Promise.all(guests.map((guest) => this.#namedBy(guest)));
    return guests.filter((_, index) => read[index] === undefined);
  }

  async #namedBy({ type, node, vmid }: Guest): Promise<Named[] | undefined> {
    const namings = await ifReadable(async () =>
      type === 'lxc'
        ? containerNamings(await readContainer(this.client, node, vmid))
        : vmNamings((await readVmNow(this.client, node, vmid)).config.state),
    );
    return namings?.map((naming) => ({ type, vmid, node, naming }));
  }
}

function usersIn(all: readonly Named[], wanted: readonly string[]): VolumeUser[] {
  const users: VolumeUser[] = [];
  for (const named of all)
    for (const volid of wanted) if (mayName(named, volid)) users.push({ ...named, volid });
  return users;
}

/** A guest's own volume of that name is another one: Proxmox names volumes after their guests. */
function mayName({ naming, vmid }: Named, volid: string): boolean {
  if (namesVolume(naming, volid)) return true;
  return sameNameElsewhere(naming, volid) && ownerOfVolume(volid) !== vmid;
}

const orNone = (named: Named[] | undefined): Named[] => named ?? [];

/** `VM 900 (virtio1)`, `VM 900 (scsi1, snapshot before)`, `container 300 (mp0)`. */
export function userText({ type, vmid, naming }: VolumeUser): string {
  const section = sectionName(naming.section);
  const guest = type === 'lxc' ? 'container' : 'VM';
  return `${guest} ${vmid} (${naming.slot}${section === undefined ? '' : `, ${section}`})`;
}

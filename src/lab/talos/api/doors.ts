import { createServer, type Server } from 'node:net';
import { bootState } from '../machine/boot-state.js';
import type { Machine, Room } from '../machine/machine.js';
import { clockOffset } from '../services/services.js';
import { machineTls, maintenanceTls, signingKey } from './apid.js';
import type { RequestHandler } from './listener.js';
import { Listener } from './listener.js';

const API_PORT = 50_000;

interface Door {
  /** What it should be open for now; the same text: nothing to do. */
  wanted: string;
  /** Names in its certificate, which changes without closing anything. */
  names: string;
  work: Promise<void>;
  open?: { listener: Listener; addresses: readonly string[]; place: { host: string; port: number } };
}

interface DoorPlan {
  readonly key: string;
  /** All of them lead to one server; the first is the machine's own. */
  readonly addresses: readonly string[];
  readonly names: readonly string[];
  readonly maintenance: boolean;
}

interface VipDoor {
  vmid: number;
  server: Server;
}

/** Opens and closes the machines' API servers as their stages, addresses and configs say. Servers only for machines that run. */
export class Doors {
  readonly #doors = new Map<number, Door>();
  readonly #vips = new Map<string, VipDoor>();
  readonly #maintenanceTls = maintenanceTls();
  #closed = false;

  constructor(
    private readonly room: Room,
    private readonly handlerFor: (machine: Machine) => RequestHandler,
    private readonly notice: (text: string) => void,
  ) {}

  /** Brings the server of a machine (`undefined`: switched off) to what it should be now. */
  refresh(vmid: number, machine: Machine | undefined): void {
    if (this.#closed) return;
    const plan = machine && this.#plan(machine);
    const wanted = plan?.key ?? '';
    const door: Door = this.#doors.get(vmid) ?? { wanted: '', names: '', work: Promise.resolve() };
    const names = plan?.names.join(' ') ?? '';
    if (door.wanted === wanted) {
      if (machine && plan && door.names !== names) this.#renew(door, names, machine, plan.names);
      return;
    }
    door.names = names;
    door.wanted = wanted;
    this.#doors.set(vmid, door);
    // Whoever dials from now on finds no one, until the new server listens.
    this.#shut(door, machine === undefined);
    if (!machine || !plan) {
      if (!machine) this.#doors.delete(vmid);
      return;
    }
    door.work = door.work
      .then(() => this.#open(door, wanted, machine, plan))
      .catch((error: unknown) => this.notice(`the Talos API of ${vmid} does not open: ${String(error)}`));
    this.room.core.clock.hold(door.work);
  }

  /** Shared addresses lead to the machine that holds them. */
  refreshVips(): void {
    const { network, clock } = this.room.core;
    for (const [vip, door] of [...this.#vips]) {
      if (this.room.db.vips.get(vip) === door.vmid && !this.#closed) continue;
      network.down(vip, API_PORT);
      door.server.close();
      this.#vips.delete(vip);
    }
    if (this.#closed) return;
    for (const [vip, vmid] of this.room.db.vips.entries()) {
      if (this.#vips.has(vip)) continue;
      const server = createServer((socket) => {
        const listener = this.#doors.get(vmid)?.open?.listener;
        if (listener) listener.accept(socket);
        else socket.destroy();
      });
      this.#vips.set(vip, { vmid, server });
      const place = network.bindFor(vip, API_PORT);
      clock.hold(
        new Promise<void>((resolve) => {
          server.once('error', (error) => {
            this.notice(`the shared address ${vip} cannot be opened: ${error.message}`);
            resolve();
          });
          // The address may have moved on before the port was open: then it never is.
          server.once('close', resolve);
          server.listen(place.port, place.host, () => {
            const address = server.address();
            const port = typeof address === 'object' && address ? address.port : place.port;
            if (this.#vips.get(vip)?.server === server) network.up(vip, API_PORT, { host: place.host, port });
            else server.close();
            resolve();
          });
        }),
      );
    }
  }

  close(): void {
    this.#closed = true;
    for (const door of this.#doors.values()) this.#shut(door, true);
    this.refreshVips();
  }

  #plan(machine: Machine): DoorPlan | undefined {
    const { stage } = machine.record;
    const addresses = machine.addresses.map((address) => address.ip);
    const [ip] = addresses;
    if (ip === undefined) return undefined;
    const at = addresses.join(' ');
    if (stage === 'maintenance') return { key: `maintenance ${at}`, addresses, names: [], maintenance: true };
    if (stage !== 'running' && stage !== 'installing') return undefined;
    const ca = signingKey(this.room, machine);
    if (!ca) return undefined;
    const { host } = this.room.core.network.bindFor(ip, API_PORT);
    const names = [
      ...addresses,
      // Certificates have every address of this boot.
      ...bootState(machine).addresses,
      machine.hostname,
      machine.fqdn,
      ...(machine.facts?.certSans ?? []),
      ...(machine.facts?.vips ?? []),
      host,
    ];
    const unique = [...new Set(names)];
    return { key: `mutual ${at} ${ca.crt}`, addresses, names: unique, maintenance: false };
  }

  async #open(door: Door, wanted: string, machine: Machine, plan: DoorPlan): Promise<void> {
    if (door.wanted !== wanted || this.#closed) return;
    const ca = plan.maintenance ? undefined : signingKey(this.room, machine);
    const tls = ca ? await machineTls(ca, plan.names) : await this.#maintenanceTls();
    // Dates of certificates are the wall's; a machine may have another time than this process.
    const now = () => Date.now() + clockOffset(machine);
    const listener = new Listener(tls, this.handlerFor(machine), now);
    const [first = ''] = plan.addresses;
    const place = await listener.listen(this.room.core.network.bindFor(first, API_PORT));
    // Things may have changed meanwhile.
    if (door.wanted !== wanted || this.#closed) {
      listener.close({ atOnce: true });
      return;
    }
    door.open = { listener, addresses: plan.addresses, place };
    for (const ip of plan.addresses) this.room.core.network.up(ip, API_PORT, place);
  }

  #renew(door: Door, names: string, machine: Machine, list: readonly string[]): void {
    door.names = names;
    door.work = door.work.then(async () => {
      const ca = signingKey(this.room, machine);
      if (ca && door.names === names) door.open?.listener.renew(await machineTls(ca, list));
    });
    this.room.core.clock.hold(door.work);
  }

  #shut(door: Door, atOnce: boolean): void {
    if (!door.open) return;
    const { network } = this.room.core;
    // Another machine may have the address by now.
    for (const ip of door.open.addresses)
      if (network.dial(ip, API_PORT) === door.open.place) network.down(ip, API_PORT);
    door.open.listener.close({ atOnce });
    delete door.open;
  }
}

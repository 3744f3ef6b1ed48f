import type { GuestAgent, LabCore, MachineRoom } from '../lab.js';
import { createApid } from './api/apid.js';
import type { Endpoint } from './api/caller.js';
import { Doors } from './api/doors.js';
import { EtcdModel } from './etcd/etcd.js';
import type { Hypervisor } from './hypervisors/hypervisor.js';
import type { KubernetesHook } from './kubernetes/kubernetes-hook.js';
import { LastLook } from './machine/last-look.js';
import { Lifecycle } from './machine/lifecycle.js';
import { type ImageSource, Machine, type Room } from './machine/machine.js';
import { type LeaseRecord, openTalosDb, type TalosDb } from './machine/machine-record.js';
import { linkName, reserveLease } from './network/addresses.js';
import { publishMembers } from './network/discovery.js';
import { electVips } from './network/vip.js';
import { announce } from './services/announce.js';
import { defineServiceSteps, settleServices } from './services/services.js';
import { ResourceState } from './state/resource-state.js';

export interface TalosRoomOptions {
  readonly core: LabCore;
  readonly hypervisor: Hypervisor;
  readonly images: ImageSource;
  readonly kubernetes?: KubernetesHook;
  /** Reservations in the lab's DHCP server, by MAC, as people make them in their routers. */
  readonly leases?: Readonly<Record<string, LeaseRecord>>;
  /** Something a person should know, such as an address that cannot be bound. */
  readonly notice?: (text: string) => void;
}

/** The machines of a lab. Make it before the timeline resumes, then call `resume`. */
export class TalosRoom implements MachineRoom, Room {
  readonly core: LabCore;
  readonly db: TalosDb;
  readonly hypervisor: Hypervisor;
  readonly images: ImageSource;
  readonly etcd: EtcdModel;
  kubernetes: KubernetesHook | undefined;
  readonly #machines = new Map<number, Machine>();
  readonly #endpoints = new WeakMap<Machine, Endpoint>();
  readonly #lifecycle: Lifecycle;
  readonly #doors: Doors;
  readonly #lastLook: LastLook;
  /** Who was found at an address last. */
  readonly #foundAt = new Map<string, Machine>();
  #settling = false;
  #again = false;

  constructor({ core, hypervisor, images, kubernetes, leases = {}, notice = () => {} }: TalosRoomOptions) {
    this.core = core;
    this.db = openTalosDb(core.store);
    for (const [mac, lease] of Object.entries(leases)) reserveLease(this.db, mac, lease);
    this.hypervisor = hypervisor;
    this.#lastLook = new LastLook(this);
    this.images = images;
    this.kubernetes = kubernetes;
    this.etcd = new EtcdModel(this.db, core.random, (clusterId, memberId) =>
      this.#etcdRuns(clusterId, memberId),
    );
    const handlerFor = createApid((address) => {
      const machine = this.machineAt(address);
      return machine && this.#endpoint(machine);
    });
    this.#doors = new Doors(this, (machine) => handlerFor(this.#endpoint(machine)), notice);
    this.#lifecycle = new Lifecycle(this, { refresh: (machine) => this.#refresh(machine.vmid) });
    defineServiceSteps(this);
  }

  /**
   * Machines that ran when the lab's process ended run on. It may have been killed between a change of the hypervisor
   * and ours: the hypervisor is right.
   */
  resume(): void {
    const running = new Set(this.hypervisor.running());
    for (const { vmid } of [...this.db.machines.values()]) {
      if (running.has(vmid)) this.#machines.set(vmid, new Machine(this, vmid));
      else this.#lifecycle.forget(vmid);
    }
    for (const machine of this.machines()) {
      const { config } = machine;
      if (machine.record.stage === 'maintenance' && machine.configured && config !== undefined) {
        this.#lifecycle.configure(machine, config);
      }
    }
    for (const vmid of running) if (!this.db.machines.has(String(vmid))) this.powerOn(vmid);
    this.settle();
  }

  close(): void {
    this.#doors.close();
  }

  *machines(): IterableIterator<Machine> {
    for (const machine of this.#machines.values()) {
      if (this.db.machines.has(machine.key)) yield machine;
    }
  }

  machine(vmid: number): Machine | undefined {
    return this.db.machines.has(String(vmid)) ? this.#machines.get(vmid) : undefined;
  }

  machineAt(ip: string): Machine | undefined {
    const answers = (machine: Machine) => {
      const { stage } = machine.record;
      return (stage === 'running' || stage === 'maintenance') && machine.isAt(ip);
    };
    const last = this.#foundAt.get(ip);
    if (last && this.machine(last.vmid) === last && answers(last)) return last;
    for (const machine of this.machines()) {
      if (!answers(machine)) continue;
      this.#foundAt.set(ip, machine);
      return machine;
    }
    return undefined;
  }

  powerOn(vmid: number): void {
    this.#machines.set(vmid, new Machine(this, vmid));
    this.#lifecycle.powerOn(vmid);
  }

  powerOff(vmid: number): void {
    this.#lifecycle.powerOff(vmid);
    this.#machines.delete(vmid);
  }

  shutdown(vmid: number): boolean {
    const machine = this.machine(vmid);
    // Before Talos runs no one hears the power button.
    if (!machine?.record.system) return false;
    this.#lifecycle.stop(machine, 'shutting down', 'off');
    return true;
  }

  reset(vmid: number): void {
    this.powerOff(vmid);
    this.powerOn(vmid);
  }

  hardwareChanged(vmid: number): void {
    const machine = this.machine(vmid);
    if (!machine) return;
    this.#lifecycle.retryVolumes(machine);
    machine.changed();
  }

  agent(vmid: number): GuestAgent | undefined {
    const machine = this.machine(vmid);
    const { system, stage } = machine?.record ?? {};
    // The agent is an extension: a machine whose schematic lacks it has none. It runs in maintenance mode as well.
    if (!machine || !system || (stage !== 'running' && stage !== 'maintenance')) return undefined;
    if (!this.images.extensions(system.schematic).some((name) => name.endsWith('/qemu-guest-agent')))
      return undefined;
    return {
      hostname: machine.hostname,
      interfaces: machine.hardware.nics.map((nic, index) => ({
        name: linkName(index),
        mac: nic.mac.toLowerCase(),
        addresses: [
          ...machine.addresses
            .filter((address) => address.nic === index)
            .map(({ ip, prefix }) => ({ ip, prefix })),
          ...(index === 0 ? machine.heldVips.map((ip) => ({ ip, prefix: 32 })) : []),
        ],
      })),
    };
  }

  /** Until nothing moves any more; what happens meanwhile is settled in the same go. */
  settle(): void {
    this.#again = true;
    if (this.#settling) return;
    this.#settling = true;
    const touched = new Set<Machine>();
    try {
      while (this.#again) {
        this.#again = false;
        const { machines, controlPlanes } = this.#lastLook.take();
        for (const machine of machines) touched.add(machine);
        settleServices(machines);
        electVips(this, controlPlanes);
        // Told each time: a part that was made again has not heard of an address that did not move.
        this.#announceVips(controlPlanes);
        publishMembers(this, machines);
        announce(this, machines);
        this.#again ||= this.#lastLook.moved();
      }
    } finally {
      this.#settling = false;
    }
    for (const { vmid } of touched) this.#refresh(vmid);
    this.#doors.refreshVips();
    for (const machine of this.machines()) machine.changed();
  }

  #announceVips(controlPlanes: readonly Machine[]): void {
    const wanted = new Set(controlPlanes.flatMap((machine) => machine.facts?.vips ?? []));
    for (const vip of wanted) {
      const holder = this.machine(this.db.vips.get(vip) ?? -1);
      const ip = holder?.ip;
      this.kubernetes?.vipMoved(vip, holder && ip ? { vmid: holder.vmid, ip } : undefined);
    }
  }

  #refresh(vmid: number): void {
    this.#doors.refresh(vmid, this.machine(vmid));
  }

  #endpoint(machine: Machine): Endpoint {
    const known = this.#endpoints.get(machine);
    if (known) return known;
    const endpoint: Endpoint = {
      machine,
      lifecycle: this.#lifecycle,
      state: new ResourceState(machine),
      busy: new Set(),
    };
    this.#endpoints.set(machine, endpoint);
    return endpoint;
  }

  #etcdRuns(clusterId: string, memberId: string): boolean {
    for (const machine of this.machines()) {
      if (machine.service('etcd')?.state !== 'Running') continue;
      const data = machine.etcdData;
      if (data?.clusterId === clusterId && data.memberId === memberId) return true;
    }
    return false;
  }
}

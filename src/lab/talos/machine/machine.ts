import { hashParts } from '../../../formats/text/hash.js';
import type { LabCore } from '../../lab.js';
import { type ConfigFacts, readConfigFacts } from '../config/config-facts.js';
import type { EtcdModel } from '../etcd/etcd.js';
import type { Drive, Hardware, Hypervisor } from '../hypervisors/hypervisor.js';
import type { KubernetesHook } from '../kubernetes/kubernetes-hook.js';
import { type MachineAddress, machineAddresses } from '../network/addresses.js';
import { isSystemDisk, partitionData, writePartitionData } from '../volumes/partitions.js';
import { type EventBody, MachineEvents } from './machine-events.js';
import type { EtcdData, MachineRecord, ServiceState, TalosDb } from './machine-record.js';

/** What all machines of a lab share. */
export interface Room {
  readonly core: LabCore;
  readonly db: TalosDb;
  readonly hypervisor: Hypervisor;
  readonly etcd: EtcdModel;
  readonly images: ImageSource;
  kubernetes: KubernetesHook | undefined;
  machines(): IterableIterator<Machine>;
  machine(vmid: number): Machine | undefined;
  /** The machine that has this address now. */
  machineAt(ip: string): Machine | undefined;
  /** Something happened: starts what can start now, everywhere. */
  settle(): void;
}

/** What the lab's registries and its factory know. */
export interface ImageSource {
  /** Whether an image can be pulled. */
  exists(reference: string): boolean;
  /** Official extensions of a schematic; empty for one no one registered. */
  extensions(schematic: string): readonly string[];
}

/** STATE on the system disk. */
interface StateData {
  readonly config?: string;
  /** Identity in discovery: a new STATE is a new identity. */
  readonly nodeId: string;
}

const LOG_LINES = 200;
/** Where every machine listens in a lab inside of a command: no address of any. */
export const PRIVATE_HOST = '127.0.0.1';

/** One switched-on machine: its record, its hardware, its config. */
export class Machine {
  #facts: { text: string; facts: ConfigFacts } | undefined;
  readonly #watchers = new Set<() => void>();
  readonly events: MachineEvents;
  /** Of its records. */
  readonly key: string;

  constructor(
    readonly room: Room,
    readonly vmid: number,
  ) {
    this.key = String(vmid);
    this.events = new MachineEvents(vmid);
  }

  get record(): MachineRecord {
    const record = this.room.db.machines.get(this.key);
    if (!record) throw new Error(`machine ${this.vmid} is switched off`);
    return record;
  }

  update(change: Partial<MachineRecord>): void {
    this.room.db.machines.put(this.key, { ...this.record, ...change });
    this.changed();
  }

  get hardware(): Hardware {
    const hardware = this.room.hypervisor.hardware(this.vmid);
    if (!hardware) throw new Error(`VM ${this.vmid} does not run`);
    return hardware;
  }

  /** The config it runs with. */
  get config(): string | undefined {
    return this.room.db.configs.get(this.key);
  }

  set config(text: string | undefined) {
    if (text === undefined) this.room.db.configs.delete(this.key);
    else this.room.db.configs.put(this.key, text);
    this.changed();
  }

  get facts(): ConfigFacts | undefined {
    const text = this.config;
    if (text === undefined) return undefined;
    if (this.#facts?.text !== text) this.#facts = { text, facts: readConfigFacts(text) };
    return this.#facts.facts;
  }

  /** Configured enough to leave maintenance mode. */
  get configured(): boolean {
    return this.facts?.complete === true;
  }

  get isControlPlane(): boolean {
    return this.configured && this.facts?.type === 'controlplane';
  }

  /** As it was set: a host name, or one with a domain. */
  get fqdn(): string {
    const { facts, hardware } = this;
    return (
      facts?.hostname ??
      hardware.cloudInit?.hostname ??
      `talos-${hashParts(['hostname', hardware.uuid]).slice(0, 6)}`
    );
  }

  /** The kernel's host name, which etcd takes for its member: the first label. */
  get hostname(): string {
    return this.fqdn.split('.')[0] ?? '';
  }

  /** The name of its node in Kubernetes (controllers/k8s/internal/nodename). */
  get nodeName(): string {
    const name = this.facts?.registerWithFqdn === true ? this.fqdn : this.hostname;
    return name
      .toLowerCase()
      .replaceAll('_', '-')
      .replaceAll(/[^a-z0-9.-]/g, '')
      .replaceAll(/^[-.]+|[-.]+$/g, '');
  }

  /** Another one after every boot. */
  get bootId(): string {
    const hex = hashParts(['boot', this.hardware.uuid, String(this.record.boot)]);
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `8${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ].join('-');
  }

  get addresses(): readonly MachineAddress[] {
    return machineAddresses(this.room.db, this.hardware, this.configured ? this.facts : undefined);
  }

  /** The address it is known by. */
  get ip(): string | undefined {
    return this.addresses[0]?.ip;
  }

  get heldVips(): string[] {
    return [...this.room.db.vips.entries()].filter(([, vmid]) => vmid === this.vmid).map(([vip]) => vip);
  }

  /** Its own addresses and those it holds, and where `lab serve` puts them on loopback. */
  isAt(address: string): boolean {
    const own = [...this.addresses.map(({ ip }) => ip), ...this.heldVips];
    const { network } = this.room.core;
    const served = (ip: string) => network.bindFor(ip, 0).host === address && address !== PRIVATE_HOST;
    return own.some((ip) => ip === address || served(ip));
  }

  get systemDrive(): Drive | undefined {
    return this.hardware.drives.find((drive) => !drive.cdrom && isSystemDisk(drive.content));
  }

  get installed(): boolean {
    return this.systemDrive !== undefined;
  }

  get state(): StateData | undefined {
    const drive = this.systemDrive;
    return drive && (partitionData(drive.content, 'STATE') as StateData | undefined);
  }

  /** Writes the config where the next boot reads it; a machine without a system disk only has it in memory. */
  persistConfig(config: string): void {
    const drive = this.systemDrive;
    if (!drive) return;
    const nodeId = this.state?.nodeId ?? this.room.core.random.hex(44);
    this.room.hypervisor.write(this.vmid, drive.slot, (content) =>
      writePartitionData(content, 'STATE', { config, nodeId } satisfies StateData),
    );
  }

  /** The drive with this machine's EPHEMERAL, once it is ready. */
  get ephemeral(): Drive | undefined {
    const state = this.record.volumes.find((volume) => volume.id === 'EPHEMERAL' && volume.phase === 'ready');
    return this.hardware.drives.find((drive) => drive.slot === state?.slot);
  }

  get etcdData(): EtcdData | undefined {
    const drive = this.ephemeral;
    const data = drive && partitionData(drive.content, 'EPHEMERAL');
    return data && typeof data === 'object' && 'etcd' in data
      ? (data.etcd as EtcdData | undefined)
      : undefined;
  }

  /** Empties (`undefined`) or fills etcd's data directory. */
  writeEtcdData(etcd: EtcdData | undefined): void {
    const drive = this.ephemeral;
    if (!drive) throw new Error(`machine ${this.vmid} has no EPHEMERAL volume`);
    this.room.hypervisor.write(this.vmid, drive.slot, (content) => {
      const { etcd: _, ...old } = {
        ...(partitionData(content, 'EPHEMERAL') as object | undefined),
      } as Record<string, unknown>;
      return writePartitionData(content, 'EPHEMERAL', etcd ? { ...old, etcd } : old);
    });
    this.changed();
  }

  service(id: string): ServiceState | undefined {
    return this.record.services[id];
  }

  setService(id: string, state: ServiceState['state'], message: string, healthy = state === 'Running'): void {
    const old = this.service(id);
    if (old?.state === state && old.message === message && old.healthy === healthy) return;
    const since = this.room.core.clock.now();
    this.events.add(since, { kind: 'service', service: id, state, message, healthy });
    this.update({ services: { ...this.record.services, [id]: { state, healthy, message, since } } });
  }

  emit(event: EventBody, actorId?: string): void {
    this.events.add(this.room.core.clock.now(), event, actorId);
  }

  log(line: string): void {
    const seconds = ((this.room.core.clock.now() - this.record.bootedAt) / 1000).toFixed(6);
    this.update({ log: [...this.record.log, `[${seconds.padStart(12)}] [talos] ${line}`].slice(-LOG_LINES) });
  }

  /** Calls back after every change, until the returned function is called. */
  watch(callback: () => void): () => void {
    this.#watchers.add(callback);
    return () => this.#watchers.delete(callback);
  }

  changed(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

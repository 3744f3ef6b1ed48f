import { MIB } from '../../model/size.js';
import type { VolumeContent } from '../lab.js';
import { bootDrives } from './disks.js';
import { chooseInstallDisk } from './install-disk.js';
import { parseInstallerImage } from './installer-image.js';
import type { Machine, Room } from './machine.js';
import type { MachineRecord, Stage, VolumeState } from './machine-record.js';
import { ALWAYS } from './services.js';
import { TIMING } from './timing.js';
import type { VolumeSpec } from './volume-spec.js';
import { bringUpVolumes, partitionData, writePartitionData } from './volumes.js';

/** Power, boot, installation, reboot: what happens to a machine, in lab time. */

interface BootStep {
  readonly vmid: number;
  readonly boot: number;
}

interface DownStep extends BootStep {
  readonly then: 'boot' | 'off';
}

/** Partitions of a Talos disk image, in MiB (1.14). EPHEMERAL is made by the machine. */
const SYSTEM_PARTITIONS = [
  ['EFI', 2_101],
  ['BIOS', 1],
  ['BOOT', 2_000],
  ['META', 1],
  ['STATE', 100],
] as const;

export class Lifecycle {
  constructor(
    private readonly room: Room,
    private readonly api: {
      /** The machine's API should listen as its stage and config say now. */
      refresh(machine: Machine): void;
    },
  ) {
    const { timeline } = room.core;
    timeline.on<BootStep>('talos/boot', (step) => this.#at(step, (machine) => this.#boot(machine)));
    timeline.on<BootStep>('talos/configured', (step) =>
      this.#at(step, (machine) => this.enterConfigured(machine)),
    );
    timeline.on<BootStep>('talos/installed', (step) => this.#at(step, (machine) => this.#installed(machine)));
    timeline.on<DownStep>('talos/down', (step) =>
      this.#at(step, (machine) => this.#down(machine, step.then)),
    );
    timeline.on<BootStep & { config: string }>('talos/revert', (step) =>
      this.#at(step, (machine) => {
        machine.config = step.config;
        this.room.settle();
      }),
    );
  }

  powerOn(vmid: number): void {
    this.#start(vmid, (this.room.db.machines.get(String(vmid))?.boot ?? this.#boots(vmid)) + 1);
  }

  /** From the hypervisor's side: at once. */
  powerOff(vmid: number): void {
    const machine = this.room.machine(vmid);
    if (!machine) return;
    this.room.kubernetes?.kubeletStopped(vmid);
    this.room.kubernetes?.controlPlaneStopped(vmid);
    this.forget(vmid);
    this.api.refresh(machine);
    this.room.settle();
  }

  /** The machine is off; events that were meant for it find a later boot. */
  forget(vmid: number): void {
    this.room.db.counters.put(`talos/boots/${vmid}`, this.room.db.machines.get(String(vmid))?.boot ?? 0);
    this.room.db.machines.delete(String(vmid));
    this.room.db.configs.delete(String(vmid));
  }

  /** Services stop, then the machine boots again or switches itself off. */
  stop(machine: Machine, stage: Stage, then: 'boot' | 'off', delay: number = TIMING.stop): void {
    if (machine.record.stage === stage) return;
    machine.log(`${stage}`);
    machine.update({ stage, controlPlane: 'off', services: {} });
    this.room.core.timeline.after(delay, 'talos/down', { ...this.#step(machine), then } satisfies DownStep);
    this.room.settle();
  }

  /** A complete config has come to a machine in maintenance mode. */
  configure(machine: Machine, config: string): void {
    machine.persistConfig(config);
    machine.config = config;
    if (!machine.configured) return;
    machine.log('machine config received, leaving maintenance mode');
    if (machine.installed) {
      machine.update({ stage: 'booting' });
      this.room.core.timeline.after(TIMING.configApplied, 'talos/configured', this.#step(machine));
    } else {
      machine.update({ stage: 'installing' });
      this.room.core.timeline.after(TIMING.install, 'talos/installed', this.#step(machine));
    }
    this.api.refresh(machine);
  }

  /** Another config without a reboot; volumes that are ready stay as they are. */
  reconfigure(machine: Machine, config: string): void {
    machine.config = config;
    this.retryVolumes(machine);
    this.api.refresh(machine);
    this.room.settle();
  }

  /** `try` mode: the old config comes back by itself. */
  revertLater(machine: Machine, delay: number): void {
    const config = machine.config;
    if (config === undefined) return;
    this.room.core.timeline.after(delay, 'talos/revert', { ...this.#step(machine), config });
  }

  /** Disks came or went: volumes that are not ready are tried again, the others are not touched. */
  retryVolumes(machine: Machine): void {
    const { facts, record } = machine;
    if (!facts?.complete || record.stage !== 'running') return;
    machine.update({
      volumes: this.#bringUp(machine, facts.volumes, record.volumes),
    });
    this.room.settle();
  }

  /** Writes another Talos beside the running one; the next boot tries it. */
  install(machine: Machine, image: { schematic: string; version: string }): void {
    const drive = machine.systemDrive;
    const { system } = drive?.content ?? {};
    if (!drive || !system) throw new Error('machine is not installed');
    this.room.hypervisor.write(machine.vmid, drive.slot, (content) => ({
      ...writePartitionData(content, 'META', { upgrade: 'pending' }),
      system: {
        kind: 'talos',
        arch: system.arch,
        ...image,
        previous: { schematic: system.schematic, version: system.version },
      },
    }));
  }

  enterConfigured(machine: Machine): void {
    const facts = machine.facts;
    if (!facts?.complete) return;
    const volumes = this.#bringUp(machine, facts.volumes);
    machine.update({ stage: 'running', volumes, services: {} });
    for (const volume of volumes) {
      if (volume.phase !== 'ready') machine.log(`volume ${volume.id} ${volume.phase}: ${volume.error ?? ''}`);
    }
    for (const service of ALWAYS) machine.setService(service, 'Running', 'Health check successful');
    if (facts.type === 'controlplane') machine.setService('trustd', 'Running', 'Health check successful');
    for (const extension of this.room.images.extensions(machine.record.system?.schematic ?? '')) {
      const name = /\/(qemu-guest-agent|iscsi-tools|tailscale|cloudflared|nut-client)$/.exec(extension)?.[1];
      if (name) machine.setService(`ext-${name}`, 'Running', '');
    }
    this.api.refresh(machine);
    this.room.settle();
  }

  #bringUp(
    machine: Machine,
    specs: readonly VolumeSpec[],
    ready: readonly VolumeState[] = [],
  ): VolumeState[] {
    const { hypervisor, core } = this.room;
    const stamp = `${machine.vmid} at ${core.clock.now()}`;
    return bringUpVolumes(hypervisor, machine.hardware, specs, ready, stamp);
  }

  #start(vmid: number, boot: number): void {
    const record: MachineRecord = {
      vmid,
      boot,
      stage: 'booting',
      bootedAt: this.room.core.clock.now(),
      volumes: [],
      services: {},
      controlPlane: 'off',
      log: [],
      images: [],
    };
    this.room.db.machines.put(String(vmid), record);
    this.room.db.configs.delete(String(vmid));
    this.room.core.timeline.after(TIMING.boot, 'talos/boot', { vmid, boot } satisfies BootStep);
  }

  #boots(vmid: number): number {
    return this.room.db.counters.get(`talos/boots/${vmid}`) ?? 0;
  }

  #step(machine: Machine): BootStep {
    return { vmid: machine.vmid, boot: machine.record.boot };
  }

  #at(step: BootStep, work: (machine: Machine) => void): void {
    const machine = this.room.machine(step.vmid);
    if (machine?.record.boot === step.boot) work(machine);
  }

  #boot(machine: Machine): void {
    const { hardware } = machine;
    if (this.room.core.faults.strikes('machine-stuck', String(machine.vmid), hardware.name)) {
      machine.update({ stuck: 'the machine hangs before its Talos API' });
      return;
    }
    const drive = bootDrives(hardware).find((candidate) => candidate.content.system !== undefined);
    const found = drive?.content.system;
    if (!drive || !found) {
      machine.update({ stuck: 'no bootable device' });
      return;
    }
    const system = drive.cdrom ? found : this.#bootDisk(machine, drive.slot, drive.content, found);
    const { version, schematic, arch } = system;
    machine.update({ system: { version, schematic, arch, from: drive.cdrom ? 'iso' : 'disk' } });
    machine.log(`Talos ${version} ${arch}`);
    machine.config = machine.state?.config;
    if (machine.configured) {
      this.enterConfigured(machine);
      return;
    }
    machine.update({ stage: 'maintenance' });
    for (const service of ALWAYS) machine.setService(service, 'Running', 'Health check successful');
    machine.log('this machine is reachable at its address in maintenance mode');
    this.api.refresh(machine);
  }

  /** The boot loader: an upgraded system that does not come up falls back to the one before. */
  #bootDisk(
    machine: Machine,
    slot: string,
    content: VolumeContent,
    system: NonNullable<VolumeContent['system']>,
  ): NonNullable<VolumeContent['system']> {
    const meta = partitionData(content, 'META') as { upgrade?: string } | undefined;
    const { previous } = system;
    const fallsBack =
      meta?.upgrade === 'pending' &&
      previous !== undefined &&
      this.room.core.faults.strikes('machine-falls-back', String(machine.vmid), machine.hardware.name);
    const boots = fallsBack ? { kind: system.kind, arch: system.arch, ...previous } : system;
    this.room.hypervisor.write(machine.vmid, slot, (old) => ({
      ...writePartitionData(old, 'META', { ...meta, upgrade: fallsBack ? 'fell back' : 'done' }),
      system: boots,
      partitions: old.partitions?.some(({ label }) => label === 'META')
        ? old.partitions
        : systemPartitions(old),
    }));
    return boots;
  }

  #installed(machine: Machine): void {
    const { facts, config } = machine;
    const image = parseInstallerImage(facts?.install.image ?? '');
    const slot = facts && chooseInstallDisk(machine.hardware, facts.install);
    if (!slot || config === undefined) {
      machine.log('install failed: no disk matches the install section of the machine config');
      return;
    }
    const running = machine.record.system;
    this.room.hypervisor.write(machine.vmid, slot, () => ({
      system: {
        kind: 'talos',
        arch: running?.arch ?? 'amd64',
        schematic: image?.schematic ?? running?.schematic ?? '',
        version: image?.version ?? running?.version ?? '',
      },
      partitions: systemPartitions({}),
      data: { META: {} },
    }));
    machine.persistConfig(config);
    machine.log('install succeeded, rebooting');
    this.stop(machine, 'rebooting', 'boot');
  }

  #down(machine: Machine, then: 'boot' | 'off'): void {
    if (then === 'boot') {
      this.#start(machine.vmid, machine.record.boot + 1);
      this.api.refresh(machine);
      this.room.settle();
      return;
    }
    const { vmid } = machine;
    this.powerOff(vmid);
    this.room.hypervisor.stopped(vmid);
  }
}

function systemPartitions(content: VolumeContent): NonNullable<VolumeContent['partitions']> {
  const kept = (content.partitions ?? []).filter(
    ({ label }) => !SYSTEM_PARTITIONS.some(([name]) => name === label),
  );
  const made = SYSTEM_PARTITIONS.map(([label, size]) => ({
    label,
    size: size * MIB,
    ...(label === 'EFI' ? { filesystem: 'vfat' } : {}),
    ...(label === 'BOOT' || label === 'STATE' ? { filesystem: 'xfs' } : {}),
  }));
  return [...made, ...kept];
}

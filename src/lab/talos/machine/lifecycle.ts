import type { VolumeContent } from '../../lab.js';
import { parseInstallerImage } from '../config/installer-image.js';
import { learnNetwork } from '../network/network-path.js';
import { startAlways, startServices } from '../services/start-services.js';
import { TIMING } from '../timing.js';
import { bootDrives } from '../volumes/disks.js';
import { chooseInstallDisk } from '../volumes/install-disk.js';
import {
  bootedDisk,
  installedDisk,
  isBootable,
  type System,
  triesUpgrade,
  upgradedDisk,
} from '../volumes/system-disk.js';
import type { VolumeSpec } from '../volumes/volume-spec.js';
import { bringUpVolumes } from '../volumes/volumes.js';
import { rememberBootState } from './boot-state.js';
import type { Machine, Room } from './machine.js';
import type { MachineRecord, Stage, VolumeState } from './machine-record.js';

/** Power, boot, installation, reboot: what happens to a machine, in lab time. */

interface BootStep {
  readonly vmid: number;
  readonly boot: number;
}

interface DownStep extends BootStep {
  readonly then: 'boot' | 'off';
}

/** What Talos calls the work that takes a machine down. */
const SEQUENCES: Partial<Record<Stage, string>> = {
  rebooting: 'reboot',
  'shutting down': 'shutdown',
  resetting: 'reset',
  upgrading: 'upgrade',
};

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
      this.#at(step, (machine) => this.#revert(machine, step.config)),
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
  stop(
    machine: Machine,
    stage: Stage,
    then: 'boot' | 'off',
    { delay = this.#stopTime(machine, stage), actor = '' }: { delay?: number; actor?: string } = {},
  ): void {
    if (machine.record.stage === stage) return;
    machine.log(`${stage}`);
    machine.emit({ kind: 'sequence', sequence: SEQUENCES[stage] ?? stage, action: 'start' }, actor);
    machine.update({ stage, controlPlane: 'off', services: {} });
    this.room.core.timeline.after(delay, 'talos/down', { ...this.#step(machine), then } satisfies DownStep);
    this.room.settle();
  }

  /** A shutdown cordons and drains the node first, for up to five minutes (`Shutdown` in v1alpha1_sequencer.go). */
  #stopTime({ nodeName, configured }: Machine, stage: Stage): number {
    const drains = stage === 'shutting down' && configured && this.room.kubernetes !== undefined;
    return drains && this.room.core.faults.holds('drain-held', nodeName)
      ? TIMING.drain + TIMING.stop
      : TIMING.stop;
  }

  /** A complete config has come to a machine in maintenance mode. */
  configure(machine: Machine, config: string): void {
    machine.persistConfig(config);
    machine.config = config;
    if (!machine.configured) return;
    rememberBootState(machine);
    learnNetwork(machine);
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
    rememberBootState(machine);
    this.retryVolumes(machine);
    this.api.refresh(machine);
    this.room.settle();
  }

  /** `try` mode: the old config comes back by itself, unless another one is applied before. */
  revertLater(machine: Machine, delay: number): void {
    const config = machine.config;
    if (config === undefined) return;
    this.keepConfig(machine);
    const revert = this.room.core.timeline.after(delay, 'talos/revert', { ...this.#step(machine), config });
    machine.update({ revert });
  }

  #revert(machine: Machine, config: string): void {
    this.keepConfig(machine);
    machine.log('rolling back the configuration');
    this.reconfigure(machine, config);
  }

  keepConfig(machine: Machine): void {
    const { revert, ...record } = machine.record;
    if (revert === undefined) return;
    this.room.core.timeline.cancel(revert);
    this.room.db.machines.put(String(machine.vmid), record);
  }

  /** Disks came or went: volumes that are not ready are tried again, the others are not touched. */
  retryVolumes(machine: Machine): void {
    const { facts, record } = machine;
    if (!facts?.complete || record.stage !== 'running') return;
    machine.update({ volumes: this.#bringUp(machine, facts.volumes, record.volumes) });
    this.room.settle();
  }

  /** Writes another Talos beside the running one; the next boot tries it. */
  install(machine: Machine, image: { schematic: string; version: string }): void {
    const drive = machine.systemDrive;
    if (!drive?.content.system) throw new Error('machine is not installed');
    this.room.hypervisor.write(machine.vmid, drive.slot, (content) => upgradedDisk(content, image));
  }

  enterConfigured(machine: Machine): void {
    const facts = machine.facts;
    if (!facts?.complete) return;
    machine.emit({ kind: 'sequence', sequence: 'boot', action: 'start' });
    const volumes = this.#bringUp(machine, facts.volumes);
    machine.update({ stage: 'running', volumes, services: {} });
    rememberBootState(machine);
    machine.emit({ kind: 'sequence', sequence: 'boot', action: 'stop' });
    for (const volume of volumes) {
      if (volume.phase !== 'ready') machine.log(`volume ${volume.id} ${volume.phase}: ${volume.error ?? ''}`);
    }
    startServices(machine, facts.type, this.room.images.extensions(machine.record.system?.schematic ?? ''));
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
    const drive = bootDrives(hardware).find(
      ({ cdrom, content }) =>
        (cdrom && content.system !== undefined) || isBootable(content, hardware.firmware),
    );
    const found = drive?.content.system;
    if (!drive || !found) {
      machine.update({ stuck: 'no bootable device' });
      return;
    }
    const system = drive.cdrom ? found : this.#bootDisk(machine, drive.slot, drive.content);
    const { version, schematic, arch } = system ?? found;
    machine.update({ system: { version, schematic, arch, from: drive.cdrom ? 'iso' : 'disk' } });
    machine.log(`Talos ${version} ${arch}`);
    machine.config = machine.state?.config;
    if (machine.configured) {
      this.enterConfigured(machine);
      return;
    }
    machine.update({ stage: 'maintenance' });
    startAlways(machine, this.room.images.extensions(system?.schematic ?? found.schematic));
    machine.log('this machine is reachable at its address in maintenance mode');
    this.api.refresh(machine);
  }

  /** The boot loader: an upgraded system that does not come up falls back to the one before. */
  #bootDisk(machine: Machine, slot: string, content: VolumeContent): System | undefined {
    const fallsBack =
      triesUpgrade(content) &&
      this.room.core.faults.strikes('machine-falls-back', String(machine.vmid), machine.hardware.name);
    const booted = bootedDisk(content, fallsBack, machine.hardware.firmware);
    this.room.hypervisor.write(machine.vmid, slot, () => booted);
    return booted.system;
  }

  #installed(machine: Machine): void {
    const { facts, config } = machine;
    const image = parseInstallerImage(facts?.install.image ?? '');
    const slot = facts && chooseInstallDisk(machine.hardware, facts.install);
    if (!slot || config === undefined) {
      machine.log('install failed: no disk matches the install section of the machine config');
      return;
    }
    const { arch = 'amd64', schematic = '', version = '' } = machine.record.system ?? {};
    const installed = image ?? { schematic, version };
    this.room.hypervisor.write(machine.vmid, slot, () =>
      installedDisk(arch, installed, machine.hardware.firmware),
    );
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

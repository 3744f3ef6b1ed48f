/** The kinds of steps. Each says what is so now and what shall be; how is the business of `apply/steps/<kind>`. */
import type { AuxiliaryDrive } from '../design/design.js';
import type { Vmid, Wwn } from '../model/identity.js';
import type { AdoptionStep } from './adopt/adoption-steps.js';
import type { HaStep } from './ha/ha-steps.js';
import type { KubernetesStep } from './kubernetes-steps.js';
import type { MachineStep } from './machine-steps.js';
import type { MoveStep } from './move-steps.js';
import type { StepBase } from './step-base.js';
import type { NewFirmware } from './vms/new-firmware.js';

/** One drive to be made by Proxmox on a VM of ours. */
export interface NewDrive {
  readonly slot: string;
  readonly name: string;
  readonly wwn: Wwn;
  readonly storage: string;
  readonly size: number;
  readonly options: Readonly<Record<string, string>>;
  readonly importFrom?: string;
}

/** A drive of the data VM to be seen by the Talos VM; its volume is looked up by WWN when the step runs. */
export interface AttachedDrive {
  readonly slot: string;
  readonly name: string;
  readonly wwn: Wwn;
  readonly options: Readonly<Record<string, string>>;
}

export interface ValueChange {
  /** `undefined` in JSON is absent: the key is not there now, or shall go. */
  readonly from?: string;
  readonly to?: string;
}

export type Step =
  | MachineStep
  | KubernetesStep
  | MoveStep
  | AdoptionStep
  | HaStep
  | (StepBase & {
      readonly kind: 'download-image';
      readonly host: string;
      readonly storage: string;
      readonly content: 'import' | 'iso';
      readonly filename: string;
      readonly volid: string;
      readonly url: string;
      readonly schematicId: string;
    })
  | (StepBase & {
      readonly kind: 'create-data-vm';
      readonly vmid: Vmid;
      readonly host: string;
      readonly options: Readonly<Record<string, string | number>>;
      readonly auxiliary: Readonly<Record<string, AuxiliaryDrive>>;
      readonly drives: readonly NewDrive[];
    })
  | (StepBase & {
      readonly kind: 'create-talos-vm';
      readonly vmid: Vmid;
      readonly dataVmid?: Vmid;
      readonly host: string;
      readonly options: Readonly<Record<string, string | number>>;
      readonly auxiliary: Readonly<Record<string, AuxiliaryDrive>>;
      readonly drives: readonly NewDrive[];
      readonly attach: readonly AttachedDrive[];
      readonly pool?: string;
    })
  | (StepBase & {
      readonly kind: 'add-drive';
      /** The data VM. */
      readonly vmid: Vmid;
      readonly host: string;
      readonly drive: NewDrive;
      /** The data VM's description with the new volume's name in it. */
      readonly description: string;
    })
  | (StepBase & {
      readonly kind: 'attach-drive';
      readonly vmid: Vmid;
      readonly dataVmid: Vmid;
      readonly host: string;
      readonly drive: AttachedDrive;
    })
  | (StepBase & {
      readonly kind: 'detach-drive';
      readonly vmid: Vmid;
      readonly host: string;
      readonly slot: string;
      readonly wwn: Wwn;
      readonly volume: string;
      /** Address of the machine that had a volume on it: it has to close the volume first. */
      readonly usedAt?: string;
    })
  | (StepBase & {
      readonly kind: 'grow-drive';
      /** The VM through which Proxmox resizes it: the one that uses it, else its owner. */
      readonly vmid: Vmid;
      readonly host: string;
      readonly wwn: Wwn;
      readonly size: number;
    })
  | (StepBase & {
      readonly kind: 'move-drive';
      /** The data VM; its Talos VM is stopped and the drive detached there. */
      readonly vmid: Vmid;
      readonly talosVmid: Vmid;
      readonly host: string;
      readonly wwn: Wwn;
      readonly storage: string;
      /** What is copied. */
      readonly size: number;
    })
  | (StepBase & {
      /** A restored disk that the Talos VM owns goes to the data VM. */
      readonly kind: 'hand-over-drive';
      readonly vmid: Vmid;
      readonly dataVmid: Vmid;
      readonly host: string;
      readonly wwn: Wwn;
      readonly slot: string;
      /** What the drive has on the data VM. */
      readonly options: Readonly<Record<string, string>>;
      /** What the drive has on the Talos VM, whose line Proxmox removes with the move. */
      readonly attached: AttachedDrive;
    })
  | (StepBase & {
      readonly kind: 'set-options';
      readonly vmid: Vmid;
      readonly host: string;
      readonly changes: Readonly<Record<string, ValueChange>>;
      /** The network of a running machine changes: it must answer at this address afterwards, or it is changed back. */
      readonly guest?: { readonly ip: string };
    })
  | (StepBase & {
      readonly kind: 'set-drive-options';
      readonly vmid: Vmid;
      readonly host: string;
      readonly slot: string;
      readonly wwn: Wwn;
      readonly options: Readonly<Record<string, string>>;
    })
  | (StepBase & {
      /** A drive without data that a machine needs to start: cloud-init, EFI variables, installation media. */
      readonly kind: 'add-helper-drive';
      readonly vmid: Vmid;
      readonly host: string;
      readonly slot: string;
      readonly helper: AuxiliaryDrive;
    })
  | (StepBase & { readonly kind: 'start-vm'; readonly vmid: Vmid; readonly host: string })
  | (StepBase & { readonly kind: 'stop-vm'; readonly vmid: Vmid; readonly host: string })
  | (StepBase & {
      /** Stop and start, so that pending changes take effect. */
      readonly kind: 'restart-vm';
      readonly vmid: Vmid;
      readonly host: string;
      /** Also when nothing waits for it: someone asked. */
      readonly asked: boolean;
    })
  | (StepBase & {
      /** A new system disk from the image; the VM, its identity and its data stay. */
      readonly kind: 'replace-os-disk';
      readonly vmid: Vmid;
      readonly dataVmid: Vmid;
      readonly host: string;
      readonly ip: string;
      readonly role: 'controlplane' | 'worker';
      readonly drive: NewDrive;
      /** Volumes that must be seen on disks of the data VM before: Talos volume → WWID. */
      readonly keptOn: Readonly<Record<string, string>>;
      /**
       * When it is proved that no kept volume is on the old system disk: before it goes, by the machine that runs; or
       * after, by the machine with the new one. Then the old disk is kept as an unused volume until that proof.
       */
      readonly proof: 'before' | 'after';
      /** The VM has no system disk any more: there is none to replace. */
      readonly gone?: boolean;
      /** Written together with the new disk: its image starts with this firmware, the old disk did not. */
      readonly firmware?: NewFirmware;
      /** Drives without which the new system cannot start. */
      readonly helpers?: readonly AuxiliaryDrive[];
    })
  | (StepBase & {
      /** The old system disk goes once the new system shows every kept volume on disks of the data VM. */
      readonly kind: 'delete-old-system-disk';
      readonly vmid: Vmid;
      readonly host: string;
      readonly ip: string;
      readonly role: 'controlplane' | 'worker';
      readonly volume: string;
      readonly keptOn: Readonly<Record<string, string>>;
    })
  | (StepBase & {
      readonly kind: 'destroy-talos-vm';
      readonly vmid: Vmid;
      readonly dataVmid?: Vmid;
      readonly host: string;
      /** Data that goes with it, by volume id; empty: none. */
      readonly volids: readonly string[];
    })
  | (StepBase & {
      readonly kind: 'destroy-data-vm';
      readonly vmid: Vmid;
      readonly host: string;
      /** Everything that goes with it. */
      readonly volids: readonly string[];
    })
  | (StepBase & {
      /** A new disk in place of one that is kept beside it under another identity: nothing is erased. */
      readonly kind: 'renew-drive';
      /** The data VM. */
      readonly vmid: Vmid;
      readonly talosVmid: Vmid;
      readonly host: string;
      readonly drive: NewDrive;
      readonly aside: { readonly wwn: Wwn; readonly name: string };
      /** The data VM's description afterwards. */
      readonly description: string;
    })
  | (StepBase & {
      /** Someone asked for it by name. */
      readonly kind: 'delete-volume';
      readonly vmid: Vmid;
      readonly host: string;
      readonly wwn: Wwn;
      readonly volid: string;
    })
  | (StepBase & {
      /** The lines of a volume that no storage has any more leave the VMs. */
      readonly kind: 'forget-volume';
      /** The data VM. */
      readonly vmid: Vmid;
      readonly talosVmid: Vmid;
      readonly host: string;
      readonly wwn: Wwn;
      readonly volid: string;
    })
  | (StepBase & {
      /** Gives a volume its identity, and takes it from every other one that claims it. */
      readonly kind: 'adopt-volume';
      /** VM on whose config the volume is, or shall be. */
      readonly vmid: Vmid;
      readonly talosVmid: Vmid;
      readonly dataVmid: Vmid;
      readonly host: string;
      readonly wwn: Wwn;
      readonly volid: string;
      readonly options: Readonly<Record<string, string>>;
    })
  | (StepBase & {
      readonly kind: 'create-csi-volume';
      readonly host: string;
      readonly storage: string;
      readonly vmid: Vmid;
      readonly volumeName: string;
      readonly format: 'raw' | 'qcow2';
      readonly size: number;
    })
  | (StepBase & {
      readonly kind: 'delete-csi-volume';
      readonly host: string;
      readonly storage: string;
      readonly volid: string;
    })
  | (StepBase & {
      readonly kind: 'set-role';
      readonly role: string;
      readonly privileges: readonly string[];
      readonly exists: boolean;
    })
  | (StepBase & { readonly kind: 'create-user'; readonly user: string; readonly comment: string })
  | (StepBase & {
      readonly kind: 'set-acl';
      readonly path: string;
      readonly role: string;
      readonly subject: { readonly kind: 'user' | 'token'; readonly id: string };
      readonly propagate: boolean;
    })
  | (StepBase & {
      /** Made by version 0.1.0 under a name that clusters could share, and used by no one any more. */
      readonly kind: 'remove-legacy-access';
      readonly what: 'user' | 'role' | 'pool';
      readonly name: string;
      /** Who may still have a role that goes. */
      readonly subjects: readonly string[];
    })
  | (StepBase & {
      /** The cluster's own job, known by its id; other jobs are not touched. */
      readonly kind: 'set-backup-job';
      readonly job: string;
      readonly settings: Readonly<Record<string, string>>;
    })
  | (StepBase & { readonly kind: 'remove-backup-job'; readonly job: string; readonly tag: string })
  | (StepBase & { readonly kind: 'create-pool'; readonly pool: string; readonly comment: string })
  | (StepBase & { readonly kind: 'join-pool'; readonly pool: string; readonly vmids: readonly Vmid[] });

export type StepKind = Step['kind'];
export type StepOf<K extends StepKind> = Extract<Step, { kind: K }>;

/** Steps that talk to machines through their Talos API, and what belongs to them. */
import type { GateConfig } from '../config/policy-config.js';
import type { ComponentVersions } from '../design/machine-config/context.js';
import type { Vmid } from '../model/identity.js';
import type { GrowingVolume } from './drives/growing-volume.js';
import type { Component } from './effects/talos-config.js';
import type { SnapshotFile } from './input.js';
import type { StepBase } from './step-base.js';
import type { HostNeeds } from './vms/host-needs.js';

/** The VM is stopped and started in place of a reboot; done when the machine shows these disks. */
export interface ColdStart {
  readonly host: string;
  readonly wwids: readonly string[];
}

export type MachineStep =
  | (StepBase & {
      /** Talos secrets for a cluster that has none: made by `apply` before everything else. */
      readonly kind: 'create-secrets';
      readonly path: string;
    })
  | (StepBase & {
      /** Gives a machine its first config. The plan holds the config's hash alone. */
      readonly kind: 'configure-machine';
      readonly vmid: Vmid;
      readonly host: string;
      readonly ip: string;
      readonly configHash: string;
      /** Parts of Kubernetes it runs until their own upgrade; absent: all as oxherd.yaml says. */
      readonly components?: ComponentVersions;
      /** SMBIOS uuid of its VM: what answers at the address must be that machine. */
      readonly uuid?: string;
      /** WWIDs that selectors of the config name: each must match exactly one disk. */
      readonly wwids: readonly string[];
    })
  | (StepBase & {
      readonly kind: 'change-config';
      readonly uuid?: string;
      readonly ip: string;
      readonly configHash: string;
      /** What the plan found; anything else since then stops the step. */
      readonly fromHash: string;
      /** The config it runs with where `fromHash` is the one on its disk: it is being tried, and may go back. */
      readonly triedHash?: string;
      /** `staged`: takes effect at the reboot that follows. `try`: made permanent once the node is healthy with it. */
      readonly mode: 'no-reboot' | 'try' | 'staged';
      /** What restarts by it: it must be healthy again before the next node has its turn. */
      readonly restarts?: {
        readonly components: readonly Component[];
        readonly role: 'controlplane' | 'worker';
        /** The other control planes: their API servers must answer while this one restarts. */
        readonly others: readonly { readonly name: string; readonly ip: string }[];
        /** Images that the components need and may not have yet. */
        readonly images: readonly { readonly image: string; readonly kubelet: boolean }[];
      };
      /** While Kubernetes is upgraded: what it runs keeps its versions until its turn comes. */
      readonly components?: ComponentVersions;
      /** Unified diff, secrets redacted. */
      readonly diff: string;
    })
  | (StepBase & {
      readonly kind: 'reboot-machine';
      readonly uuid?: string;
      readonly vmid: Vmid;
      readonly ip: string;
      readonly role: 'controlplane' | 'worker';
      readonly configHash: string;
      /** What grows at this boot; the machine has rebooted once it has. */
      readonly growing?: readonly GrowingVolume[];
      readonly coldStart?: ColdStart;
    })
  | (StepBase & {
      /** After a boot that has another reason: the volumes have grown with it. */
      readonly kind: 'await-growth';
      readonly ip: string;
      readonly growing: readonly GrowingVolume[];
    })
  | (StepBase & {
      readonly kind: 'bootstrap';
      readonly ip: string;
      /** All control planes: bootstrap is decided by what every one of them says. */
      readonly controlPlanes: readonly string[];
      /** VMs of this cluster that the plan accounted for; another one may have etcd data. */
      readonly machines: readonly number[];
      /** Begins with this snapshot; absent: with an empty database. */
      readonly restore?: SnapshotFile;
    })
  | (StepBase & {
      /** A new snapshot of etcd, read back from its file: before a member leaves for good. */
      readonly kind: 'take-snapshot';
      /** Any of them may give it: those of the config, where they answer now, and those that leave. */
      readonly controlPlanes: readonly { readonly name: string; readonly ip: string }[];
    })
  | (StepBase & {
      /** Takes a member whose data is gone, or is about to be set aside, off etcd's list. */
      readonly kind: 'remove-member';
      /** As the plan saw it, in hex. */
      readonly memberId: string;
      /** Ids of all members when the plan was made: the list of another etcd proves nothing. */
      readonly members: readonly string[];
      /** Where its peers reached it, if no VM of this cluster is its machine: nothing may answer there as this member. */
      readonly addresses?: readonly string[];
      /** The other control planes of oxherd.yaml. */
      readonly staying: readonly { readonly name: string; readonly ip: string }[];
      /** Where it is written down that its disk must not come back. */
      readonly dataVm?: { readonly vmid: Vmid; readonly host: string };
    })
  | (StepBase & {
      readonly kind: 'await-machine';
      readonly vmid: Vmid;
      readonly host: string;
      readonly ip: string;
      readonly role: 'controlplane' | 'worker';
    })
  | (StepBase & { readonly kind: 'write-client-files'; readonly folder: string })
  | (StepBase & {
      /** Makes sure that a node may go: quorum, gates; then cordons and drains it. */
      readonly kind: 'begin-disruption';
      readonly ip: string;
      readonly role: 'controlplane' | 'worker';
      readonly vmid: Vmid;
      readonly controlPlanes: readonly { readonly name: string; readonly ip: string }[];
      /** The API is away meanwhile: there are too few control planes to lose one. */
      readonly outage: boolean;
      /** It comes back as another member of etcd: its disk is made again. */
      readonly newMember?: boolean;
      /** It is off until its host returns from maintenance, and cordoned as long. */
      readonly stays?: boolean;
      /** Kubernetes knows it by this name until it is back with another. */
      readonly goesAs?: string;
      /** The other nodes of oxherd.yaml that are part of the cluster. */
      readonly others: readonly string[];
      /** Nodes among them that Kubernetes may still know by another name. */
      readonly formerNames?: Readonly<Record<string, string>>;
      /** No API server answered when the plan was made: nothing is drained, and `policy.outage` has decided. */
      readonly apiDown?: boolean;
      /** How many nodes may be away, this one included. */
      readonly maxAway: number;
      /** Conditions of the user's own that must hold before a node goes. */
      readonly gates: readonly GateConfig[];
      /** What its host must have for the VM to start again; absent: the VM stays off. */
      readonly start?: HostNeeds;
      /** Absent on a single node: nothing could move anywhere. */
      readonly drain?: {
        readonly timeoutSeconds: number;
        readonly deleteLocalData: boolean;
        readonly force: boolean;
      };
    })
  | (StepBase & {
      /** Waits until the node is back as it was, and lets work return to it. */
      readonly kind: 'end-disruption';
      readonly ip: string;
      readonly role: 'controlplane' | 'worker';
      readonly vmid: Vmid;
      /** Must hold again before the next node goes. */
      readonly gates?: readonly GateConfig[];
      /** No API server answered when the plan was made: it may take more than this node until one does. */
      readonly apiDown?: boolean;
    })
  | (StepBase & {
      readonly kind: 'pull-installer';
      readonly ip: string;
      readonly image: string;
      readonly schematicId: string;
    })
  | (StepBase & {
      /** In place: the other half of the boot disk gets the new version, then a reboot. */
      readonly kind: 'upgrade-talos';
      readonly uuid?: string;
      readonly vmid: Vmid;
      readonly ip: string;
      /** Where it answers after its reboot, if the config that it was given before has another address. */
      readonly returnsAt?: string;
      readonly role: 'controlplane' | 'worker';
      readonly image: string;
      readonly from: string;
      readonly to: string;
      readonly coldStart?: ColdStart;
    })
  | (StepBase & {
      /** Takes a node out of Kubernetes and etcd before its VM goes. */
      readonly kind: 'retire-node';
      readonly vmid: Vmid;
      /** SMBIOS uuid of its machine: its Node object is found by it. Absent: neither VM nor Node object tells. */
      readonly uuid?: string;
      /** Its etcd member when the plan was made, in hex; absent: it was none. */
      readonly memberId?: string;
      /** Ids of all members when the plan was made; empty: etcd starts again by this plan. */
      readonly members: readonly string[];
      /** Absent: its address is not known, and the machine cannot be asked. */
      readonly ip?: string;
      readonly role: 'controlplane' | 'worker';
      /** Where it is written down what its disk is to etcd from now on. */
      readonly dataVm?: { readonly vmid: Vmid; readonly host: string };
      /** Control planes that stay. */
      readonly staying: readonly { readonly name: string; readonly ip: string }[];
      /** All nodes that stay: none of them may be unavailable when this one goes. */
      readonly others: readonly string[];
      /** Nodes among them that Kubernetes may still know by another name. */
      readonly formerNames?: Readonly<Record<string, string>>;
      /** No API server answered when the plan was made: nothing is drained, and `policy.outage` has decided. */
      readonly apiDown?: boolean;
      /** Conditions of the user's own that must hold before it goes. */
      readonly gates: readonly GateConfig[];
      readonly drain: {
        readonly timeoutSeconds: number;
        readonly deleteLocalData: boolean;
        readonly force: boolean;
      };
    })
  | (StepBase & {
      /** One part of Kubernetes on one machine gets its next version; no reboot. */
      readonly kind: 'upgrade-component';
      readonly uuid?: string;
      readonly ip: string;
      readonly role: 'controlplane' | 'worker';
      readonly component: keyof ComponentVersions;
      /** What its config names; the same as `to`: the config is there, and it does not run. */
      readonly from: string;
      readonly to: string;
      readonly components: ComponentVersions;
      readonly fromHash: string;
      readonly configHash: string;
      /** The other control planes: their API servers must answer while this one restarts. */
      readonly others: readonly { readonly name: string; readonly ip: string }[];
      /** The first kubelet of its version, and one that an earlier run left cordoned: its node is drained before. */
      readonly drained?: KubeletTurn;
    });

/** What the guard asks before the node of a kubelet is drained. etcd is a service of Talos, and keeps running. */
export type KubeletTurn = Pick<
  Extract<MachineStep, { readonly kind: 'begin-disruption' }>,
  'vmid' | 'outage' | 'controlPlanes' | 'others' | 'formerNames' | 'maxAway' | 'gates' | 'drain'
>;

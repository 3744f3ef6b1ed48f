/** What every planner is given, and cannot change; see planned.ts for what it gives back. */

import type { Design } from '../design/design.js';
import type { ComponentVersions } from '../design/machine-config/context.js';
import { heldOn } from '../formats/proxmox/permissions.js';
import type { VmDrive } from '../formats/proxmox/vm-config.js';
import type { Wwn } from '../model/identity.js';
import type { Observed } from '../observe/observed.js';
import type { Note, Problem } from './plan.js';
import type { Step } from './steps.js';

/** What each machine should be told; made from config, design and secrets. Configs themselves are not in a plan. */
export interface DesiredMachines {
  /** `undefined`: there are none yet, `apply` makes them at this path. */
  readonly secrets: {
    readonly path: string;
    readonly present: boolean;
    /** Over all of them; absent where there are none. */
    readonly fingerprint?: string;
  };
  readonly configs: Readonly<Record<string, DesiredConfig>>;
  /** `v1.36.0`: the version all parts of Kubernetes should have in the end. */
  readonly kubernetes: string;
  /** A node's config on the way there, with parts at other versions. Pure. */
  configWith(node: string, components: ComponentVersions): DesiredConfig;
  /** Folder for kubeconfig and talosconfig, and whether both are there and belong to these secrets. */
  readonly clientFiles: { readonly folder: string; readonly current: boolean };
}

export interface DesiredConfig {
  readonly hash: string;
  /** Of its documents; that of the main one is `v1alpha1`. */
  readonly kinds: readonly string[];
  /** Secrets replaced; for diffs. */
  readonly redacted: string;
  readonly wwids: readonly string[];
}

/** What someone asked for on the command line, besides the file. */
interface Asked {
  readonly restart: readonly string[];
  readonly replace: readonly string[];
  /** Nodes to give a new EPHEMERAL disk; the old one is set aside. */
  readonly fresh: readonly string[];
  /** etcd begins with this snapshot in place of an empty database. */
  readonly restore?: SnapshotFile;
  /** Nodes go away from this host, workers first, one after the other. */
  readonly drain?: HostDrain;
  /** Nodes that were drained from this host come back. */
  readonly hostReturn?: string;
  /** This host never comes back: what was drained from it stays where it is. */
  readonly lostHost?: string;
}

export interface HostDrain {
  readonly host: string;
  readonly forSeconds: number;
  /** Node → the host it goes to. */
  readonly targets: ReadonlyMap<string, string>;
  /** Nodes that are off until the host returns. */
  readonly stays: ReadonlySet<string>;
}

export interface SnapshotFile {
  readonly path: string;
  readonly sha256: string;
}

/** A node whose EPHEMERAL disk is made again. */
export interface EphemeralReset {
  /** Why, as a reason of the steps. */
  readonly why: string;
  /** Drives that are made again: EPHEMERAL, or all of a data VM that is gone. */
  readonly wwns: ReadonlySet<Wwn>;
  /** Steps after which the Talos VM uses none of them and etcd knows nothing of it any more. */
  readonly after: readonly string[];
  /** The Talos VM is down by then and must be started. */
  readonly stopped: boolean;
}

export interface PlanContext {
  readonly asked: Asked;
  /** Every node on the host where it is when the plan is done. */
  readonly design: Design;
  /** By node: the host that oxherd.yaml names, wherever the node is. */
  readonly namedHosts: ReadonlyMap<string, string>;
  /** Absent: only VMs and disks are planned. */
  readonly machines?: DesiredMachines;
  readonly observed: Observed;
  /** Planned so far. */
  readonly list: { readonly steps: readonly Step[] };
  /** Nodes that get a new EPHEMERAL disk by this plan. */
  readonly resets: ReadonlyMap<string, EphemeralReset>;
  /** Only while a node that moves is planned: the drives it had to let go of, as they were, and where it goes. */
  readonly moved?: { readonly drives: ReadonlyMap<Wwn, VmDrive>; readonly to: string };
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
}

/** Whether our token holds a privilege on a path, as Proxmox listed it; a plan with unread rights has a problem, and no steps. */
export function mayDo({ permissions }: Observed, path: string, privilege: string): boolean {
  return permissions.known && heldOn(permissions.value, path).has(privilege);
}

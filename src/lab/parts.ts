/** The simulators beside Proxmox that a whole lab has. */

import type { KubernetesKind } from '../model/kubernetes-kind.js';
import { factoryOf, factoryPart } from './factory/part.js';
import type { LabPartMaker } from './index.js';
import { chooseKind } from './kubernetes/kind.js';
import { proxmoxCsi } from './kubernetes/proxmox-csi.js';
import { findBinaries } from './kubernetes/real/binaries.js';
import type { LabCore } from './lab.js';
import type { Pve } from './proxmox/api.js';
import { KubernetesClusters } from './talos/kubernetes/kubernetes-clusters.js';
import { type TalosPartOptions, talosPart } from './talos/part.js';

export interface LabPartsOptions {
  /** False: VMs run, but nothing in them does. */
  readonly machines?: boolean;
  /** Reservations in the lab's DHCP server, by MAC. */
  readonly leases?: TalosPartOptions['leases'];
  /** Image Factories of other names, as configs have them. */
  readonly factories?: readonly string[];
  /** Told of the machines once they are made. */
  readonly onRoom?: TalosPartOptions['onRoom'];
  /** Whose Kubernetes API the clusters have; default: the lab's own, or what this lab's clusters have already. */
  readonly kubernetes?: {
    readonly kind?: KubernetesKind | undefined;
    /** Where a real one keeps its data; default: a folder that goes with the lab. */
    readonly folder?: string;
    /** Folders to look for etcd and kube-apiserver in, as the environment variable PATH has them. */
    readonly path?: string | undefined;
  };
  /** Something a person should know, such as an address that cannot be bound. */
  readonly notice?: (text: string) => void;
}

export function labParts(options: LabPartsOptions = {}): LabPartMaker[] {
  const { machines = true, leases, onRoom, notice } = options;
  const factory = factoryOf({ strict: true });
  const kubernetes = (core: LabCore, pve: () => Pve | undefined) => {
    const { kind: asked, path = '', folder } = options.kubernetes ?? {};
    const kind = chooseKind(core.store, asked);
    return new KubernetesClusters(core, {
      csi: (objects) => proxmoxCsi(objects, pve),
      ...(kind === 'real' && { real: { binaries: findBinaries(path), ...(folder && { folder }) } }),
      ...(notice && { notice }),
    });
  };
  const talos = talosPart({
    factory,
    kubernetes,
    ...(leases && { leases }),
    ...(onRoom && { onRoom }),
    ...(notice && { notice }),
  });
  return [factoryPart(factory, options.factories), ...(machines ? [talos] : [])];
}

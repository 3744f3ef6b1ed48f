/** The simulators beside Proxmox that a whole lab has. */
import { factoryOf, factoryPart } from './factory/part.js';
import type { LabPartMaker } from './index.js';
import { proxmoxCsi } from './kubernetes/proxmox-csi.js';
import type { LabCore } from './lab.js';
import type { Pve } from './proxmox/api.js';
import { KubernetesClusters } from './talos/kubernetes-clusters.js';
import { type TalosPartOptions, talosPart } from './talos/part.js';

export interface LabPartsOptions {
  /** False: VMs run, but nothing in them does. */
  readonly machines?: boolean;
  /** Reservations in the lab's DHCP server, by MAC. */
  readonly leases?: TalosPartOptions['leases'];
  /** Told of the machines once they are made. */
  readonly onRoom?: TalosPartOptions['onRoom'];
  /** Something a person should know, such as an address that cannot be bound. */
  readonly notice?: (text: string) => void;
}

export function labParts({ machines = true, leases, onRoom, notice }: LabPartsOptions = {}): LabPartMaker[] {
  const factory = factoryOf({ strict: true });
  const kubernetes = (core: LabCore, pve: () => Pve | undefined) =>
    new KubernetesClusters(core, { csi: (api) => proxmoxCsi(api, pve), ...(notice && { notice }) });
  const talos = talosPart({
    factory,
    kubernetes,
    ...(leases && { leases }),
    ...(onRoom && { onRoom }),
    ...(notice && { notice }),
  });
  return [factoryPart(factory), ...(machines ? [talos] : [])];
}

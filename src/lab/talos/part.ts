import type { Factory } from '../factory/factory.js';
import type { LabPartMaker } from '../index.js';
import type { LabCore } from '../lab.js';
import type { Pve } from '../proxmox/api.js';
import { proxmoxHypervisor } from './hypervisors/proxmox-hypervisor.js';
import type { KubernetesHook } from './kubernetes/kubernetes-hook.js';
import { TalosRoom, type TalosRoomOptions } from './room.js';

export interface TalosPartOptions {
  readonly factory: (core: Parameters<LabPartMaker>[0]) => Factory;
  /** What the machines' kubelets and control planes are told to, if the lab has it. */
  readonly kubernetes?: (
    core: LabCore,
    pve: () => Pve | undefined,
  ) => KubernetesHook & { started(): Promise<void>; close(): Promise<void> };
  /** Reservations in the lab's DHCP server: MAC → address. */
  readonly leases?: TalosRoomOptions['leases'];
  readonly notice?: (text: string) => void;
  /** Told of the machines once they are made. */
  readonly onRoom?: (room: TalosRoom) => void;
}

/** The machines of a Proxmox lab. */
export function talosPart(options: TalosPartOptions): LabPartMaker {
  return (core, db) => {
    let pve: Pve | undefined;
    const factory = options.factory(core);
    const kubernetes = options.kubernetes?.(core, () => pve);
    const room = new TalosRoom({
      core,
      hypervisor: proxmoxHypervisor(db, () => pve),
      images: {
        exists: (reference) => factory.hasImage(reference),
        extensions: (id) => factory.extensionsOf(id),
      },
      ...(kubernetes ? { kubernetes } : {}),
      ...(options.leases ? { leases: options.leases } : {}),
      ...(options.notice ? { notice: options.notice } : {}),
    });
    options.onRoom?.(room);
    return {
      name: 'talos',
      machines: room,
      async start(lab) {
        pve = lab.proxmox.pve;
        room.resume();
        await kubernetes?.started();
      },
      async stop() {
        room.close();
        await kubernetes?.close();
      },
    };
  };
}

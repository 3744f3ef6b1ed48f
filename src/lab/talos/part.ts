import type { Factory } from '../factory/factory.js';
import type { LabPartMaker } from '../index.js';
import type { Pve } from '../proxmox/api.js';
import type { KubernetesHook } from './kubernetes-hook.js';
import { proxmoxHypervisor } from './proxmox-hypervisor.js';
import { TalosRoom } from './room.js';

export interface TalosPartOptions {
  readonly factory: (core: Parameters<LabPartMaker>[0]) => Factory;
  /** The Kubernetes part, if the lab has one; made before the machines are. */
  readonly kubernetes?: () => KubernetesHook | undefined;
  readonly notice?: (text: string) => void;
  /** Told of the machines once they are made. */
  readonly onRoom?: (room: TalosRoom) => void;
}

/** The machines of a Proxmox lab. */
export function talosPart(options: TalosPartOptions): LabPartMaker {
  return (core, db) => {
    let pve: Pve | undefined;
    const factory = options.factory(core);
    const kubernetes = options.kubernetes?.();
    const room = new TalosRoom({
      core,
      hypervisor: proxmoxHypervisor(db, () => pve),
      images: {
        exists: (reference) => factory.hasImage(reference),
        extensions: (id) => factory.extensionsOf(id),
      },
      ...(kubernetes ? { kubernetes } : {}),
      ...(options.notice ? { notice: options.notice } : {}),
    });
    options.onRoom?.(room);
    return {
      name: 'talos',
      machines: room,
      async start(lab) {
        pve = lab.proxmox.pve;
        room.resume();
      },
      async stop() {
        room.close();
      },
    };
  };
}

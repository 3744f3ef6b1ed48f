/** The hosts of the Proxmox cluster as maintenance sees them. */

import type { Design } from '../../design/design.js';
import type { HaState } from '../../formats/proxmox/ha-state.js';
import { compareNaturally } from '../../model/natural-order.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { drainOf } from '../facts/drained-nodes.js';
import { haStateOf } from '../ha/ha-states.js';
import { freeMemory } from './host-room.js';

export interface HostState {
  readonly name: string;
  readonly online: boolean;
  readonly memory?: number;
  /** Neither promised to a VM that runs nor used. */
  readonly free?: number;
  /** Nodes of this cluster whose VM is there. */
  readonly nodes: readonly { readonly name: string; readonly role: string; readonly running: boolean }[];
  /** Nodes that were drained from it: off there, or moved away. */
  readonly drained: readonly { readonly node: string; readonly on: string; readonly until?: string }[];
  /** VMs there that HA has given up on, or does not look after although it knows them; absent: there are none. */
  readonly ha?: readonly (Omit<HaState, 'blocks'> & { readonly node: string })[];
  /** Running VMs and containers that are not of this cluster. */
  readonly others: number;
}

export function hostStates(design: Design, observed: Observed): HostState[] {
  return Object.values(observed.hosts)
    .map(({ name, online, memory }): HostState => {
      const here = design.nodes.filter(({ talosVm }) => visibleVm(observed, talosVm.vmid)?.host === name);
      return {
        name,
        online,
        ...(memory !== undefined && { memory, free: freeMemory(observed, name) }),
        nodes: here.map(({ name: node, role, talosVm }) => ({
          name: node,
          role,
          running: visibleVm(observed, talosVm.vmid)?.status === 'running',
        })),
        drained: design.nodes.flatMap((node) => {
          const note = drainOf(node, observed);
          if (note?.host !== name) return [];
          const on = visibleVm(observed, node.talosVm.vmid)?.host ?? '';
          return [{ node: node.name, on, ...(note.until !== undefined && { until: note.until }) }];
        }),
        ...haOf(design, observed, name),
        others: Object.values(observed.taken).filter(
          (vm) => vm.host === name && vm.status === 'running' && !visibleVm(observed, vm.vmid),
        ).length,
      };
    })
    .sort((a, b) => compareNaturally(a.name, b.name));
}

function haOf({ nodes }: Design, observed: Observed, host: string): Pick<HostState, 'ha'> {
  const ha = nodes.flatMap(({ name, talosVm, dataVm }) =>
    [talosVm.vmid, ...(dataVm ? [dataVm.vmid] : [])]
      .filter((vmid) => visibleVm(observed, vmid)?.host === host)
      .flatMap((vmid) => {
        const found = haStateOf(observed, vmid);
        if (!found) return [];
        const { blocks: _, ...said } = found;
        return [{ node: name, ...said }];
      }),
  );
  return ha.length > 0 ? { ha } : {};
}

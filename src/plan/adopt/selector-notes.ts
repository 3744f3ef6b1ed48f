/** Adopted nodes whose disks have their WWNs by now, and are still selected as before: it can be brought to its end. */

import type { Config, NodeConfig } from '../../config/config.js';
import { selectsDisks } from '../../config/edit/disk-selectors.js';
import type { Design } from '../../design/design.js';
import { drivesWithoutIdentity } from '../../design/disk-identity.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import type { Note } from '../plan.js';
import { wasAdopted } from './adopted-vm.js';

export function selectorNotes(config: Config, { nodes }: Design, observed: Observed): Note[] {
  const ready = nodes.filter(({ name, talosVm, drives }) => {
    const [node, vm] = [config.nodes.find((each) => each.name === name), visibleVm(observed, talosVm.vmid)];
    const details = observed.machines[name]?.details;
    if (!node || !vm || !wasAdopted(vm) || !details?.known) return false;
    return drivesWithoutIdentity(drives, details.value.volumes).length === 0 && isPatched(config, node);
  });
  if (ready.length === 0) return [];
  return [
    {
      code: 'advice',
      message: `the disks of ${ready.map(({ name }) => name).join(', ')} have their identity (WWN), and patches still select them as before the adoption: oxherd volumes select-by-wwn`,
    },
  ];
}

function isPatched({ talos: { patches } }: Config, { role, patches: own }: NodeConfig): boolean {
  return [...patches.all, ...patches[role], ...own].some(({ text }) => selectsDisks(text));
}

import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { type HaState, haStateIn } from '../../formats/proxmox/ha-state.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';

/** `undefined`: HA does what it is asked to, does not look after it, or could not be read. */
export function haStateOf(observed: Pick<Observed, 'ha' | 'vms'>, vmid: number): HaState | undefined {
  const isData = visibleVm(observed, vmid)?.tags.includes(DATA_TAG) === true;
  const { ha } = observed;
  return ha?.known ? haStateIn(ha.value, { vmid, isData }) : undefined;
}

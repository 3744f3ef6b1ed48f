import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { type HaState, haStateIn } from '../../formats/proxmox/ha-state.js';
import type { Observed } from '../../observe/observed.js';

/** `undefined`: HA does what it is asked to, does not look after it, or could not be read. */
export function haStateOf({ ha, vms }: Pick<Observed, 'ha' | 'vms'>, vmid: number): HaState | undefined {
  const isData = vms[vmid]?.tags.includes(DATA_TAG) === true;
  return ha?.known ? haStateIn(ha.value, { vmid, isData }) : undefined;
}

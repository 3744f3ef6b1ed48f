import { type HaState, haStateIn } from '../../formats/proxmox/ha-state.js';
import type { Observed } from '../../observe/observed.js';

/** `undefined`: HA does what it is asked to, does not look after it, or could not be read. */
export function haStateOf({ ha }: Pick<Observed, 'ha'>, vmid: number): HaState | undefined {
  return ha?.known ? haStateIn(ha.value, vmid) : undefined;
}

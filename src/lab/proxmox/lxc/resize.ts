import { type Pve, PveError } from '../api.js';
import { targetSize } from '../storage/target-size.js';
import { resizeVolume } from '../storage/volume-operations.js';
import { findVolume } from '../volumes.js';
import { assertUnlocked, fieldsOf, loadContainer, mountLine, saveContainer, sizeText } from './containers.js';

interface Resize {
  readonly host: string;
  readonly vmid: number;
  readonly disk: string;
  readonly size: string;
}

/** A volume of a container grows with its file system. */
export function resizeContainer(
  pve: Pve,
  { host, vmid, disk, size }: Resize,
  log: (line: string) => void,
): undefined {
  const container = loadContainer(pve, host, vmid);
  assertUnlocked(container);
  const fields = fieldsOf(disk, container.config[disk] ?? '');
  const { volume = '' } = fields;
  const found = findVolume(pve.db, host, volume);
  if (!found) throw new PveError(500, `volume '${volume}' does not exist`);
  const wanted = targetSize(size, found.size);
  if (wanted < found.size) throw new PveError(500, 'unable to shrink disk size');
  if (wanted === found.size) return;
  resizeVolume(pve, host, volume, wanted, container.running, log);
  const now = findVolume(pve.db, host, volume)?.size ?? wanted;
  const config = { ...container.config, [disk]: mountLine({ ...fields, size: sizeText(now) }) };
  saveContainer(pve, { ...container, config });
}

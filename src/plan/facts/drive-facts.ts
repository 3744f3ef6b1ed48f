/** Small answers about drives that several parts of the planner need. */

import type { DriveDesign } from '../../design/design.js';
import { findVolume } from '../../observe/observed-volumes.js';
import type { PlanContext } from '../input.js';
import type { NewDrive } from '../steps.js';

export function newDrive(drive: DriveDesign, slot: string): NewDrive {
  return {
    slot,
    name: drive.name,
    wwn: drive.wwn,
    storage: drive.storage,
    size: drive.size,
    options: drive.ownerOptions,
    ...(drive.importFrom !== undefined && { importFrom: drive.importFrom }),
  };
}

/** The size the storage reports; a VM's `size=` may be stale (recording: resize of a foreign disk). */
export function actualSize(
  volumes: PlanContext['observed']['volumes'],
  host: string,
  volid: string,
): number | undefined {
  const found = findVolume(volumes, host, volid);
  return found.state === 'present' ? found.value.size : undefined;
}

/** `cache=writethrough,ssd=1 → ssd=1`: what changes of a drive, and nothing else. */
export function driveChange(
  now: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): string {
  const keys = [...new Set([...Object.keys(now), ...Object.keys(wanted)])]
    .filter((key) => key !== 'format' && now[key] !== wanted[key])
    .sort();
  return keys.map((key) => `${key} ${now[key] ?? '(default)'} → ${wanted[key] ?? '(default)'}`).join(', ');
}

/** Keeps account of every volume over time: where it came from, and that nothing is left over. */

import { checkVolumes } from '../../../src/lab/proxmox/check-volumes.js';
import type { PveDb } from '../../../src/lab/proxmox/db.js';
import type { Answer } from '../../../src/lab/proxmox/http/answer.js';
import type { FuzzRequest } from './requests.js';

export class VolumeBook {
  #known = new Set<string>();

  /**
   * A volume that is new and in no config was allocated by hand just now; anything else was leaked by a create, clone
   * or move that failed. Later a volume may fall out of its config (an `unusedN` overwritten by hand), as in Proxmox.
   */
  check(db: PveDb, request?: FuzzRequest, answer?: Answer): void {
    const { problems, loose } = checkVolumes(db);
    if (problems.length > 0) throw new Error(problems.join('; '));
    const byHand =
      answer?.status === 200 && request?.method === 'POST' && /\/storage\/[^/]+\/content$/.test(request.path);
    // Written only after its disks were made: a config that cannot be read back leaves them, in Proxmox too.
    const unwritable = answer?.status === 500 && /unable to parse value of/.test(answer.body);
    const leaked = loose.filter((name) => !this.#known.has(name));
    if (!unwritable && leaked.length > (byHand ? 1 : 0)) throw new Error(`left over: ${leaked.join(', ')}`);
    this.#known = new Set(
      [...db.volumes.values()].map((volume) => `${volume.host} ${volume.storage}:${volume.path}`),
    );
  }
}

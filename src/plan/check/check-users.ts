/** Other VMs and containers that use our volumes: while one runs, two machines write one disk. */
import type { Design } from '../../design/design.js';
import { ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import { talosVmidOf, type Vmid } from '../../model/identity.js';
import type { Observed, OutsideUse } from '../../observe/observed.js';
import { guestText, releaseCommands } from '../../observe/observed-outsiders.js';
import { outsideUser } from '../drives/claims.js';
import type { Note, Problem } from '../plan.js';

export function outsideUsers(
  design: Design,
  observed: Observed,
): { readonly problems: readonly Problem[]; readonly notes: readonly Note[] } {
  // A VM on a node's own id is a problem of that id, with its own way out: nothing of it is to be detached.
  const outsiders = (observed.outsiders ?? []).filter(({ node }) => node === undefined);
  const uses = outsiders.filter((use) => ownerOfVolume(use.volid) !== use.vmid);
  const runs = (use: OutsideUse) => use.running && use.section === 'now';
  return {
    problems: uses.filter(runs).map((use) => {
      const node = nodeOf(design, use);
      return {
        code: 'volume-used-elsewhere',
        scope: 'node',
        ...(node !== undefined && { node }),
        message: `${outsideUser(use).why} and runs: two machines would write the same disk`,
        advice: releaseCommands(use),
      };
    }),
    notes: [
      ...uses
        .filter((use) => !runs(use))
        .map((use): Note => {
          const node = nodeOf(design, use);
          const { why, advice } = outsideUser(use);
          return { code: 'left-alone', ...(node !== undefined && { node }), message: `${why}; ${advice}` };
        }),
      ...copies(outsiders),
    ],
  };
}

/** A clone or a restore of another VM that still carries an identity of ours: harmless there, and worth knowing. */
function copies(outsiders: readonly OutsideUse[]): Note[] {
  return outsiders
    .filter((use) => ownerOfVolume(use.volid) === use.vmid && use.section === 'now')
    .map((use) => ({
      code: 'left-alone',
      message: `${guestText(use)} is not part of this cluster, but its disk ${use.volid} (${use.slot}) has the identity ${use.wwn} of a disk of this cluster; remove it: qm set ${use.vmid} --${use.slot} ${use.volid}`,
    }));
}

function nodeOf(design: Design, { volid }: OutsideUse): string | undefined {
  const owner = ownerOfVolume(volid);
  if (owner === undefined) return undefined;
  return design.nodes.find(
    ({ talosVm }) => talosVm.vmid === owner || talosVm.vmid === talosVmidOf(owner as Vmid),
  )?.name;
}

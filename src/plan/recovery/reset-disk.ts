/** A disk that is made again on a data VM, and what the data VM says of it. */
import type { DriveDesign, NodeDesign } from '../../design/design.js';
import type { DataNotes, EtcdNote } from '../../formats/marks/data-notes.js';
import { wwnOf } from '../../formats/marks/identities.js';
import type { Wwn } from '../../model/identity.js';
import { livingEtcd } from '../facts/members.js';
import { resetsEtcd } from '../facts/resets-etcd.js';
import type { VmView } from '../facts/view-of-vm.js';
import type { PlanContext } from '../input.js';

/** What a disk is known as once a new one has taken its place. */
interface Aside {
  readonly wwn: Wwn;
  readonly name: string;
}

/** `ephemeral.1`, `ephemeral.2`: no volume of a file has a dot in its name. */
export function retainedName(
  { design }: PlanContext,
  node: NodeDesign,
  drive: DriveDesign,
  view: VmView,
  noted: DataNotes,
): Aside {
  for (let number = 1; ; number += 1) {
    const name = `${drive.name}.${number}`;
    const wwn = wwnOf(design.cluster, node.talosVm.vmid, name);
    if (!noted.names.has(wwn) && !view.byWwn.has(wwn)) return { wwn, name };
  }
}

/** What a new disk of this node is to etcd. */
export function noteOfNewDisk(context: PlanContext, node: NodeDesign): EtcdNote | undefined {
  if (node.role === 'worker') return undefined;
  if (!resetsEtcd(context)) return { state: 'member' };
  return { state: context.asked.restore ? 'restore' : 'fresh' };
}

/** What the disk of a node in oxherd.yaml is; a note about a new beginning stays until etcd has begun. */
export function noteOfDisk(
  context: PlanContext,
  node: NodeDesign,
  noted: EtcdNote | undefined,
): EtcdNote | undefined {
  if (context.resets.has(node.name)) return noteOfNewDisk(context, node);
  if (node.role === 'worker') return undefined;
  // Whether it was removed is known once etcd answers.
  if (noted?.state === 'removed' && livingEtcd(context).state !== 'living') return noted;
  if (noted?.state !== 'fresh' && noted?.state !== 'restore') return { state: 'member' };
  return livingEtcd(context).state === 'living' && !resetsEtcd(context) ? { state: 'member' } : noted;
}

/** Guests that are not this cluster's and name its volumes, in words: who they are, and how they let go of the volume. */
import type { OutsideUse } from './observed.js';

export function guestText({ type, vmid, name }: OutsideUse): string {
  return `${type === 'lxc' ? 'container' : 'VM'} ${vmid}${name === '' ? '' : ` (${name})`}`;
}

export function releaseCommands({ type, vmid, slot, section, running, node }: OutsideUse): string {
  // A VM on a node's own id lacks a mark, such as its tag: detaching its disks would take the node's data from it.
  if (node !== undefined)
    return `VM ${vmid} has the id of ${node}: run \`oxherd plan\` and solve that problem first`;
  const tool = type === 'lxc' ? 'pct' : 'qm';
  if (typeof section !== 'string')
    return `delete that snapshot: ${tool} delsnapshot ${vmid} ${section.snapshot}`;
  if (section === 'next') return `take the change back: ${tool} set ${vmid} --revert ${slot}`;
  const stop = running ? `${tool} stop ${vmid} && ` : '';
  return `detach it there: ${stop}${tool} set ${vmid} --delete ${slot}`;
}

/** Parts of the scope that this observation could not read: a verdict over them would rest on nothing. */
import type { Design, NodeDesign } from '../design/design.js';
import type { Known, Observed } from './observed.js';
import { findVm } from './observed-vms.js';

export interface UnreadPart {
  /** Completes "oxherd could not read …": `VM 151`, `the volumes of pve1/local-zfs`. */
  readonly what: string;
  /** Absent: it concerns the whole cluster. */
  readonly node?: string;
  readonly why: string;
}

/** Empty: everything in scope was read, and what is not there is proved not to be. */
export function unreadParts(design: Pick<Design, 'nodes'>, observed: Observed): UnreadPart[] {
  return [
    ...design.nodes.flatMap((node) => unreadVms(node, observed)),
    ...unreadPlaces('the volumes of', observed.volumes, observed),
    ...unreadPlaces('the images of', observed.images, observed),
  ];
}

/** Proxmox lists every host to every token: on one that it does not have there is nothing to read. */
function unreadPlaces(
  what: string,
  listings: Readonly<Record<string, Known<unknown>>>,
  { hosts }: Observed,
): UnreadPart[] {
  return Object.entries(listings)
    .filter(([place]) => hosts[place.split('/')[0] ?? ''] !== undefined)
    .flatMap(([place, listing]) => unread(`${what} ${place}`, listing));
}

function unreadVms({ name, talosVm, dataVm }: NodeDesign, observed: Observed): UnreadPart[] {
  return [talosVm, ...(dataVm ? [dataVm] : [])].flatMap(({ vmid }): UnreadPart[] => {
    const answer = findVm(observed, vmid);
    if (answer.state === 'absent') return [];
    if (answer.state === 'hidden') return [{ what: `VM ${vmid}`, node: name, why: answer.why }];
    const { config, status, host } = answer.vm;
    const state: Known<string> =
      status === 'unknown'
        ? { known: false, why: `${host} did not report it` }
        : { known: true, value: status };
    return [
      ...unread(`the config of VM ${vmid}`, config, name),
      ...unread(`whether VM ${vmid} runs`, state, name),
    ];
  });
}

function unread(what: string, part: Known<unknown>, node?: string): UnreadPart[] {
  if (part.known) return [];
  return [{ what, ...(node !== undefined && { node }), why: part.why }];
}

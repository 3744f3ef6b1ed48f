/** No two objects with one identity. Ids are checked with the file; what is computed can only be checked here. */
import { parseNet } from '../formats/proxmox/property-string.js';
import { OxherdError } from '../model/error.js';
import type { NodeDesign } from './design.js';

export function requireUniqueIdentities(nodes: readonly NodeDesign[]): void {
  requireUniqueMacs(nodes);
  requireUniqueWwns(nodes);
}

/** Computed addresses have 24 bits: a clash is rare, and must not be found out on the network. */
function requireUniqueMacs(nodes: readonly NodeDesign[]): void {
  const users = new Map<string, string>();
  for (const node of nodes) {
    for (const [key, value] of Object.entries(node.talosVm.options)) {
      if (!/^net\d+$/.test(key)) continue;
      const { mac } = parseNet(String(value));
      const user = `${node.name} (${key})`;
      const other = mac === undefined ? undefined : users.get(mac);
      if (other !== undefined) {
        throw new OxherdError('design.mac', `${other} and ${user} would both have the MAC ${mac}`, {
          where: node.name,
          advice: `give ${node.name} a \`mac\` of its own`,
        });
      }
      if (mac !== undefined) users.set(mac, user);
    }
  }
}

function requireUniqueWwns(nodes: readonly NodeDesign[]): void {
  const users = new Map<string, string>();
  for (const node of nodes) {
    for (const drive of node.drives) {
      const user = `${node.name}/${drive.name}`;
      const other = users.get(drive.wwn);
      if (other !== undefined) {
        throw new OxherdError('design.wwn', `${other} and ${user} would be the same disk`, {
          where: user,
          advice:
            'a volume may be called neither `os` nor `ephemeral`, and no volume may have the name that another one `was`',
        });
      }
      users.set(drive.wwn, user);
    }
  }
}

/** No two objects with one identity. Ids are checked with oxherd.yaml; what is computed can only be checked here. */
import { parseNet, parsePropertyString } from '../formats/proxmox/property-string.js';
import { OxherdError } from '../model/error.js';
import type { NodeDesign } from './design.js';

export function requireUniqueIdentities(nodes: readonly NodeDesign[]): void {
  requireUniqueMacs(nodes);
  requireUniqueUuids(nodes);
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

/** A machine is known by it. */
function requireUniqueUuids(nodes: readonly NodeDesign[]): void {
  const users = new Map<string, string>();
  for (const { name, talosVm } of nodes) {
    const { uuid } = parsePropertyString(String(talosVm.options.smbios1 ?? ''));
    const other = uuid === undefined ? undefined : users.get(uuid);
    if (other !== undefined) {
      throw new OxherdError('design.uuid', `${other} and ${name} would both have the SMBIOS uuid ${uuid}`, {
        where: name,
        advice: `give ${name} the \`uuid\` of its own VM, or none`,
      });
    }
    if (uuid !== undefined) users.set(uuid, name);
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

/** Disk keys that Talos would not make: found before a volume is encrypted with them. */
import { documentsIn } from '../../formats/redact/redacted-documents.js';
import { canMakeNodeKey, hasNodeKeys } from '../../formats/talos/volume-encryption.js';
import { uuidOf } from '../facts/renamed-nodes.js';
import type { PlanContext } from '../input.js';
import type { Problem } from '../plan.js';

/** By the config each node is to have, patches included: `nodeID` keys come from its SMBIOS uuid. */
export function nodeKeyProblems({ design, machines }: Pick<PlanContext, 'design' | 'machines'>): Problem[] {
  return design.nodes.flatMap((node): Problem[] => {
    const uuid = uuidOf(node);
    const wanted = machines?.configs[node.name];
    if (uuid === undefined || !wanted || canMakeNodeKey(uuid) || !hasNodeKeys(documentsIn(wanted.redacted)))
      return [];
    return [
      {
        code: 'node-key',
        scope: 'node',
        node: node.name,
        message: `a disk of ${node.name} is to be encrypted with the SMBIOS uuid ${uuid}, and Talos refuses it: one character occurs more than ${Math.floor(uuid.length / 2)} times`,
        advice: `use a \`static\` key instead of \`nodeID\`; or, if VM ${node.talosVm.vmid} does not exist yet, give nodes.${node.name}.uuid a random value`,
      },
    ];
  });
}

/** Where the rules of HA, whoever made them, let a VM go. */

import { sidOf } from '../../design/ha.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';

/** Why HA would not have this VM on that host; `undefined`: it would. */
export function haObstacle(
  observed: Pick<Observed, 'ha' | 'vms' | 'taken'>,
  vmid: number,
  host: string,
): string | undefined {
  const { ha } = observed;
  if (!ha?.known || !isManaged(ha.value.resources[sidOf(vmid)]) || !ha.value.rules.known) return undefined;
  const sid = sidOf(vmid);
  for (const { type, settings } of Object.values(ha.value.rules.value)) {
    const members = listed(settings.resources);
    if (settings.disable === '1' || !members.includes(sid)) continue;
    if (type === 'node-affinity' && settings.strict === '1') {
      const hosts = listed(settings.nodes).map((entry) => entry.split(':')[0]);
      if (!hosts.includes(host)) return `HA keeps VM ${vmid} on ${hosts.join(', ')}`;
    }
    if (type !== 'resource-affinity' || settings.affinity !== 'negative') continue;
    const other = members.find((member) => {
      const id = Number(member.split(':')[1]);
      return member !== sid && (visibleVm(observed, id)?.host ?? observed.taken[id]?.host) === host;
    });
    if (other !== undefined)
      return `HA keeps VM ${vmid} apart from VM ${other.split(':')[1]}, which is there`;
  }
  return undefined;
}

/** One that is to be ignored is moved like any other VM. */
function isManaged(settings: Readonly<Record<string, string>> | undefined): boolean {
  return settings !== undefined && settings.state !== 'ignored';
}

function listed(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((part) => part !== '');
}

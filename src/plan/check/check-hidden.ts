/** VMs of nodes that exist and that the token may not see: nothing is created, changed or removed for such a node. */
import type { Design, NodeDesign } from '../../design/design.js';
import { grantCommands, grantsFor } from '../../formats/proxmox/grant.js';
import type { Observed } from '../../observe/observed.js';
import { findVm } from '../../observe/observed-vms.js';
import type { Problem } from '../plan.js';

export function hiddenProblems(design: Design, observed: Observed): Problem[] {
  return design.nodes.flatMap((node) => hiddenVms(design, node, observed));
}

function hiddenVms({ pool }: Design, { name, talosVm, dataVm }: NodeDesign, observed: Observed): Problem[] {
  return [talosVm, ...(dataVm ? [dataVm] : [])].flatMap(({ vmid }): Problem[] => {
    const answer = findVm(observed, vmid);
    if (answer.state !== 'hidden' || answer.because === 'foreign') return [];
    return [
      {
        code: 'vm-hidden',
        scope: 'node',
        node: name,
        message: `VM ${vmid} of ${name} cannot be seen: ${answer.why}`,
        advice: adviceFor(vmid, pool, observed.tokenId ?? 'USER@REALM!TOKEN'),
      },
    ];
  });
}

function adviceFor(vmid: number, pool: string | undefined, tokenId: string): string {
  const grants = grantsFor([{ path: `/vms/${vmid}`, privilege: 'VM.Audit' }]);
  const commands = grants.flatMap((grant) => grantCommands(grant, tokenId)).join('; ');
  const grant = `grant VM.Audit on /vms/${vmid} as an administrator: ${commands}`;
  if (pool === undefined) return grant;
  return `if its rights come from the pool ${pool}, put the VM back: pveum pool modify ${pool} --vms ${vmid} --allow-move 1; else ${grant}`;
}

/** VMs of nodes that cannot be seen, or of which nothing says whether they run: no step is planned for such a node. */
import type { Design, NodeDesign } from '../../design/design.js';
import { grantCommands, grantsFor } from '../../formats/proxmox/grant.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { findVm } from '../../observe/observed-vms.js';
import type { Problem } from '../plan.js';

/** What the token may do decides which options a VM gets and which steps there are. */
export function rightsProblems({ permissions }: Observed): Problem[] {
  if (permissions.known) return [];
  return [
    {
      code: 'rights-unknown',
      scope: 'plan',
      message: `the rights of the API token could not be read: ${permissions.why}`,
      advice: 'run plan again when Proxmox answers `GET /access/permissions`',
    },
  ];
}

export function hiddenProblems(design: Design, observed: Observed): Problem[] {
  return design.nodes.flatMap((node) => hiddenVms(design, node, observed));
}

function hiddenVms({ pool }: Design, { name, talosVm, dataVm }: NodeDesign, observed: Observed): Problem[] {
  return [talosVm, ...(dataVm ? [dataVm] : [])].flatMap(({ vmid }): Problem[] => {
    const answer = findVm(observed, vmid);
    if (answer.state === 'present') return stateProblems(name, answer.vm, observed);
    if (answer.state === 'absent' || answer.because === 'foreign') return [];
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

/** Of a host that is down the plan says so itself. */
function stateProblems(node: string, { vmid, host, status }: ObservedVm, { hosts }: Observed): Problem[] {
  if (status !== 'unknown' || hosts[host]?.online !== true) return [];
  return [
    {
      code: 'vm-state-unknown',
      scope: 'node',
      node,
      message: `whether VM ${vmid} of ${node} runs could not be read: ${host} did not report it`,
      advice: `run plan again when \`pvesh get /nodes/${host}/qemu\` lists it`,
    },
  ];
}

function adviceFor(vmid: number, pool: string | undefined, tokenId: string): string {
  const grants = grantsFor([{ path: `/vms/${vmid}`, privilege: 'VM.Audit' }]);
  const commands = grants.flatMap((grant) => grantCommands(grant, tokenId)).join('; ');
  const grant = `grant VM.Audit on /vms/${vmid} as an administrator: ${commands}`;
  if (pool === undefined) return grant;
  return `if its rights come from the pool ${pool}, put the VM back: pveum pool modify ${pool} --vms ${vmid} --allow-move 1; else ${grant}`;
}

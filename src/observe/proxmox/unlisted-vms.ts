/**
 * Evidence for VM ids that are not in the list. `GET /cluster/resources` leaves out every VM that the token may not
 * audit, without a word (pve-manager, PVE/API2/Cluster.pm). `GET /cluster/nextid` knows all ids and needs no right.
 */
import type { Resources } from '../../clients/proxmox/calls/resources.js';
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import type { Design } from '../../design/design.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { heldBelow, type Permissions } from '../../formats/proxmox/permissions.js';
import { dataVmidOf, talosVmidOf } from '../../model/identity.js';
import { attempt } from '../attempt.js';
import type { Known } from '../observed.js';
import type { ObservedVms } from '../observed-vms.js';

interface Listed {
  readonly vms: ObservedVms;
  readonly resources: Resources;
  readonly permissions: Known<Permissions>;
}

/**
 * Asks for each id in scope that was not listed, also where the rights seem to suffice: a `NoAccess` on the VM's own
 * path does not show in the list of rights.
 */
export async function withEvidence(
  client: Pick<ProxmoxClient, 'isFreeId'>,
  design: Design,
  { vms, resources, permissions }: Listed,
): Promise<ObservedVms> {
  const listed = new Set(resources.vms.map(({ vmid }) => vmid));
  const missing = idsInScope(design, vms).filter((vmid) => !listed.has(vmid));
  const answers = await Promise.all(
    missing.map(async (vmid) => ({ vmid, free: await attempt(() => client.isFreeId(vmid)) })),
  );
  const why = unlistedReason(permissions);
  return {
    ...vms,
    ...(why !== undefined && { unlisted: why }),
    free: answers.flatMap(({ vmid, free }) => (free.known && free.value ? [vmid] : [])),
    hidden: Object.fromEntries(
      answers.flatMap(({ vmid, free }) => {
        if (!free.known) return [[vmid, `whether VM ${vmid} exists could not be read: ${free.why}`]];
        return free.value ? [] : [[vmid, `VM ${vmid} exists, and the token may not see it`]];
      }),
    ),
  };
}

/** Those of oxherd.yaml, and of a VM that left it the partner: a node's data VM, a data VM's node. */
function idsInScope({ nodes }: Design, { listed }: ObservedVms): number[] {
  const named = new Set<number>(
    nodes.flatMap(({ talosVm, dataVm }) => [talosVm.vmid, ...(dataVm ? [dataVm.vmid] : [])]),
  );
  const partners = listed
    .filter(({ vmid }) => !named.has(vmid))
    .flatMap(({ vmid, tags }) => (tags.includes(DATA_TAG) ? talosVmidOf(vmid) : (dataVmidOf(vmid) ?? [])));
  return [...new Set([...named, ...partners])].sort((a, b) => a - b);
}

function unlistedReason(permissions: Known<Permissions>): string | undefined {
  if (!permissions.known) return `the token's rights could not be read: ${permissions.why}`;
  if (heldBelow(permissions.value, '/vms', 'VM.Audit')) return undefined;
  return 'the token may not see every VM (VM.Audit on /vms)';
}

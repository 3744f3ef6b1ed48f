/** What must be at hand before anything is deleted, and what is left alone although it looks like ours. */
import type { Design } from '../../design/design.js';
import type { Observed } from '../../observe/observed.js';
import type { Note, Problem } from '../plan.js';

/** The secrets tell our VMs from those of another cluster with our name: without them nothing is deleted. */
export function secretsNeeded(what: string, path: string): Problem {
  return {
    code: 'secrets-needed',
    scope: 'plan',
    message: `${what}, and the cluster secrets are missing: ${path}; nothing is deleted without them`,
    advice:
      'put the secrets file back in place (from a backup, or with `oxherd secrets import --from-node ADDRESS` while a talosconfig is valid); what is left of a cluster whose secrets are lost must be removed in Proxmox',
  };
}

/** VMs with our tag that are not on an id of oxherd.yaml; for those on one there is a problem. */
export function lookalikeNotes(design: Design, observed: Observed): Note[] {
  const ids = new Set(design.nodes.flatMap((node) => [node.talosVm.vmid, node.dataVm?.vmid]));
  return Object.values(observed.lookalikes)
    .filter((vm) => !ids.has(vm.vmid))
    .sort((a, b) => a.vmid - b.vmid)
    .map((vm) => ({
      code: 'left-alone',
      message: `VM ${vm.vmid} (${vm.name}) on ${vm.host} is left alone: ${vm.why}`,
    }));
}

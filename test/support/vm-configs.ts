/** Whole VM configs of a lab, for comparisons option by option. */
import type { CliFolder } from './cli.js';

/** By vmid; what Proxmox counts by itself, such as its digest, is not in them. */
export function vmConfigs(folder: CliFolder): Promise<Record<string, Record<string, string>>> {
  return folder.withLab(async ({ hand }) => {
    const vms = await hand.vms();
    const read = await Promise.all(
      vms.map(async ({ vmid, node }) => [String(vmid), (await hand.vmConfig(node, vmid)).values] as const),
    );
    return Object.fromEntries(read.sort(([a], [b]) => Number(a) - Number(b)));
  });
}

/** Since when each VM has been running: another moment is a restart. */
export function startsOf(folder: CliFolder): Promise<Record<string, unknown>> {
  return folder.withLab(async ({ lab }) =>
    Object.fromEntries([...lab.proxmox.pve.db.vms.values()].map((vm) => [vm.vmid, vm.running?.since])),
  );
}

/** What a lab has on record about a cluster: whatever restarts or touches anything shows as a difference. */
import { type MachineRecord, openTalosDb } from '../../src/lab/talos/machine/machine-record.js';
import type { CliFolder } from './cli.js';

interface LivingMachine extends Pick<MachineRecord, 'boot' | 'bootedAt' | 'services'> {
  readonly apiServerPod: string | undefined;
  readonly mounted: MachineRecord['volumes'];
}

export interface ClusterRecords {
  /** vmid → since when its process runs, and what that process was started with. */
  readonly starts: Readonly<Record<string, unknown>>;
  /** vmid → boots, and since when each service and the control plane's pods run. */
  readonly machines: Readonly<Record<string, LivingMachine>>;
  /** vmid → the machine config it runs with. */
  readonly configs: Readonly<Record<string, string>>;
  /** Every volume, with what is on it. */
  readonly volumes: Readonly<Record<string, unknown>>;
}

export function recordsOf(folder: CliFolder): Promise<ClusterRecords> {
  return folder.withLab(async ({ lab }) => {
    const { vms, volumes } = lab.proxmox.pve.db;
    const { machines, configs } = openTalosDb(lab.core.store);
    return {
      starts: Object.fromEntries([...vms.values()].map((vm) => [vm.vmid, vm.running?.since])),
      machines: Object.fromEntries(
        [...machines.values()].map(({ vmid, boot, bootedAt, services, apiServerPod, volumes: mounted }) => [
          vmid,
          { boot, bootedAt, services, apiServerPod, mounted },
        ]),
      ),
      configs: Object.fromEntries(configs.entries()),
      volumes: Object.fromEntries(volumes.entries()),
    };
  });
}

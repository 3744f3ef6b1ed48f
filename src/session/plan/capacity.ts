/** How full the hosts are, from the config alone or with what Proxmox says. */
import type { Config } from '../../config/config.js';
import type { Design } from '../../design/design.js';
import { design as designCluster } from '../../design/design-cluster.js';
import type { Observed } from '../../observe/observed.js';
import { type Failover, failovers } from '../../plan/capacity/failover.js';
import { appliancesWithDevices, passthroughNote } from '../../plan/capacity/passthrough.js';
import { capacityNotes, capacityProblems } from '../../plan/capacity/problems.js';
import { type HostCapacity, hostCapacities } from '../../plan/capacity/usage.js';
import type { Note, Problem } from '../../plan/plan.js';
import type { Site } from '../connect/site.js';
import { look } from './prepare-plan.js';

export interface Capacity {
  readonly hosts: readonly HostCapacity[];
  readonly failovers: readonly Failover[];
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
}

export function plannedCapacity(config: Config): Capacity {
  return capacityOf(config, designCluster(config));
}

/** With `observed`: with what Proxmox says of sizes, other VMs and space. */
export function capacityOf(config: Config, design: Design, observed?: Observed): Capacity {
  const hosts = hostCapacities(config, design, observed);
  return {
    hosts,
    failovers: failovers(hosts),
    problems: capacityProblems(config, design, observed),
    notes: capacityNotes(config, design, observed),
  };
}

export async function liveCapacity(site: Site): Promise<Capacity> {
  const { design: wanted, observed } = await look(site, { machines: false });
  const capacity = capacityOf(site.config, wanted, observed);
  const devices = await Promise.all(
    appliancesWithDevices(site.config, observed).map(async (appliance): Promise<Note | undefined> => {
      try {
        const { values } = await site.client.vmConfig(appliance.host, appliance.vmid);
        return passthroughNote(appliance, Object.keys(values));
      } catch {
        return {
          code: 'unknown',
          message: `${appliance.reservation}: the config of VM ${appliance.vmid} cannot be read`,
        };
      }
    }),
  );
  return { ...capacity, notes: [...capacity.notes, ...devices.filter((note) => note !== undefined)] };
}

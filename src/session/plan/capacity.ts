/** How full the hosts are, from the config alone or with what Proxmox says. */
import type { Config } from '../../config/config.js';
import { design as designCluster } from '../../design/design-cluster.js';
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
  const wanted = designCluster(config);
  const hosts = hostCapacities(config, wanted);
  return {
    hosts,
    failovers: failovers(hosts),
    problems: capacityProblems(config, wanted),
    notes: capacityNotes(config, wanted),
  };
}

export async function liveCapacity(site: Site): Promise<Capacity> {
  const { design: wanted, observed } = await look(site, { machines: false });
  const hosts = hostCapacities(site.config, wanted, observed);
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
  return {
    hosts,
    failovers: failovers(hosts),
    problems: capacityProblems(site.config, wanted, observed),
    notes: [...capacityNotes(site.config, wanted, observed), ...devices.filter((note) => note !== undefined)],
  };
}

/** How full the hosts are, from the file alone or with what Proxmox says. */
import { design } from '../../design/design-cluster.js';
import { failovers } from '../../plan/capacity/failover.js';
import { appliancesWithDevices, passthroughNote } from '../../plan/capacity/passthrough.js';
import { capacityNotes, capacityProblems } from '../../plan/capacity/problems.js';
import { hostCapacities } from '../../plan/capacity/usage.js';
import type { Note } from '../../plan/plan.js';
import { requireConfig } from '../../session/config/read-config.js';
import { type Site, withSite } from '../../session/connect/site.js';
import { look } from '../../session/plan/prepare-plan.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { type CapacityView, printCapacity } from '../views/capacity.js';

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const view = options.live === true ? await withSite(context, liveView) : fileView(context);
  if (context.globals.json) context.stdout.write(`${JSON.stringify(view, null, 2)}\n`);
  else printCapacity(context, view);
  return view.problems.length > 0 ? EXIT.failed : EXIT.done;
}

function fileView(context: CliContext): CapacityView {
  const { config } = requireConfig(context);
  const wanted = design(config);
  const hosts = hostCapacities(config, wanted);
  return {
    hosts,
    failovers: failovers(hosts),
    problems: capacityProblems(config, wanted),
    notes: capacityNotes(config, wanted),
  };
}

async function liveView(site: Site): Promise<CapacityView> {
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

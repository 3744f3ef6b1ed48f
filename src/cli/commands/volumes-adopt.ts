import { planVolumeAdopt } from '../../plan/drives/plan-volume-adopt.js';
import { planDiskAdoption, withAdoptedDisk } from '../../plan/kubernetes/adopt-csi-volume.js';
import { type Site, withSite } from '../../session/connect/site.js';
import { carryOut } from '../../session/execute/carry-out.js';
import { look } from '../../session/plan/prepare-plan.js';
import { settleTasks } from '../../session/plan/settle-tasks.js';
import { confirmName } from '../confirm-name.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';
import { printPlan } from '../views/plan.js';

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const [name = '', volid = ''] = args;
  return withSite(context, async (site) => {
    await settleTasks(context, site);
    if (site.config.volumes.some((volume) => volume.type === 'proxmox-csi' && volume.name === name))
      return adoptDisk(context, site, name, volid, options.confirm);
    const { design, observed } = await look(site, { machines: false });
    const { plan, doubts } = planVolumeAdopt(design, observed, name, volid);
    if (!context.globals.json) printPlan(context, plan);
    const command = `oxherd volumes adopt ${name} ${volid}`;
    if (doubts.length > 0) {
      await confirmName(context, options.confirm, {
        name,
        what: `whether ${volid} is ${name} cannot be told: ${doubts.join('; ')}`,
        command: `${command} --confirm ${name}`,
      });
    }
    return carryOut(context, site, { plan, design }, command);
  });
}

/** Another cluster may use a disk of that name: a person says that it does not. */
async function adoptDisk(
  context: CliContext,
  site: Site,
  name: string,
  volid: string,
  confirm: unknown,
): Promise<ExitCode> {
  const { design: found, observed } = await look(site, { machines: true });
  const design = withAdoptedDisk(found, observed, name, volid);
  const kubernetes = await site.machines.cluster.design(design, observed);
  const plan = planDiskAdoption(design, observed, kubernetes, name, volid);
  if (!context.globals.json) printPlan(context, plan);
  const command = `oxherd volumes adopt ${name} ${volid}`;
  await confirmName(context, confirm, {
    name,
    what: `${volid} becomes ${name} of this cluster; whether another cluster uses it cannot be told`,
    command: `${command} --confirm ${name}`,
  });
  return carryOut(context, site, { plan, design, kubernetes }, command);
}

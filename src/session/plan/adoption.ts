/** Taking over a running cluster, and giving it back: what is asked of the machines, and the plan. */

import type { Design } from '../../design/design.js';
import { attempt } from '../../observe/attempt.js';
import { type MachineDisk, readDisks } from '../../observe/disks/machine-disks.js';
import { type Known, type Observed, unknown } from '../../observe/observed.js';
import { otherOwners } from '../../plan/adopt/other-owners.js';
import { planAdoption } from '../../plan/adopt/plan-adoption.js';
import { planRelease } from '../../plan/adopt/plan-release.js';
import type { Plan } from '../../plan/plan.js';
import type { Site } from '../connect/site.js';
import { clusterApiObjects } from './cluster-api-objects.js';
import type { PlanRequest, PreparedPlan } from './plan-request.js';
import { look, planOptionsFor } from './prepare-plan.js';

type AdoptRequest = Extract<PlanRequest, { kind: 'adopt' }>;

export async function adoptionPlan(
  site: Site,
  request: AdoptRequest,
): Promise<Omit<PreparedPlan, 'unobserved'>> {
  const situation = await look(site, { machines: true, adopt: true });
  const { design, observed, kubernetes } = situation;
  if (request.undo) {
    const plan = planRelease(design, observed);
    return {
      request,
      plan,
      design,
      observed,
      kubernetes,
      doubts: [],
      allow: { mayRelease: releasedIn(plan) },
    };
  }
  const [disks, capi] = await Promise.all([readAllDisks(site, design, observed), clusterApiObjects(site)]);
  const owners = otherOwners(design, observed, {
    capi,
    released: request.released === true,
    ...(request.terraform && { terraform: request.terraform }),
  });
  const { design: settled, options } = await planOptionsFor(site, situation);
  const { plan, questions } = planAdoption({
    design,
    observed,
    disks,
    owners,
    answers: request.disks ?? {},
    options,
  });
  const allow = { mayAdopt: adoptedIn(plan) };
  return { request, plan, design: settled, observed, kubernetes, doubts: [], allow, questions };
}

/** Machines that do not answer are told by the plan. */
async function readAllDisks(
  { machines: { talos } }: Site,
  design: Design,
  { machines }: Observed,
): Promise<Record<string, Known<readonly MachineDisk[]>>> {
  const read = await Promise.all(
    design.nodes.map(async ({ name, ip }): Promise<[string, Known<readonly MachineDisk[]>]> => {
      const machine = machines[name];
      const admin = machine?.details.known ? talos.admin(machine.address ?? ip) : undefined;
      return [name, admin ? await attempt(() => readDisks(admin)) : unknown('it does not answer')];
    }),
  );
  return Object.fromEntries(read);
}

/** What the interlock lets through: the VMs of the plan, each with what proves it. */
function adoptedIn({ steps }: Plan): NonNullable<PreparedPlan['allow']['mayAdopt']> {
  return new Map(
    steps.flatMap((step) =>
      step.kind === 'adopt-vm'
        ? [[step.vmid, { volumes: step.volumes, ...(step.machine && { uuid: step.machine.uuid }) }] as const]
        : [],
    ),
  );
}

function releasedIn({ steps }: Plan): ReadonlySet<number> {
  return new Set(steps.flatMap((step) => (step.kind === 'release-vm' ? [step.vmid] : [])));
}

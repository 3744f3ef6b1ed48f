/** A plan of the config and the state of the cluster, from one observation: what a controller asks for all day. */
import type { Condition } from '../../health/condition.js';
import { unobservedMachines } from '../../plan/machines/unobserved-machines.js';
import type { Site } from '../connect/site.js';
import type { SessionContext } from '../context.js';
import { statusOf } from './conditions.js';
import type { PreparedPlan } from './plan-request.js';
import { look, planOf } from './prepare-plan.js';

export interface Survey {
  readonly prepared: PreparedPlan;
  readonly conditions: readonly Condition[];
}

export async function survey(context: SessionContext, site: Site): Promise<Survey> {
  const situation = await look(site, { machines: true, health: true });
  const planned = await planOf(site, situation);
  const { conditions } = await statusOf(context, site, situation);
  const unobserved = unobservedMachines(planned.plan, planned.observed);
  return {
    prepared: { request: { kind: 'converge' }, allow: {}, doubts: [], ...planned, unobserved },
    conditions,
  };
}

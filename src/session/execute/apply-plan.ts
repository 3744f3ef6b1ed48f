/** Carries out a plan that was shown: checked against the cluster, agreed to, and with secrets to send. */
import { OxherdError } from '../../model/error.js';
import type { RunEvent } from '../../model/events.js';
import type { RemovedApiFinding } from '../../plan/kubernetes/removed-apis.js';
import type { Plan } from '../../plan/plan.js';
import { stalePlan } from '../../plan/saved-plan.js';
import type { Site } from '../connect/site.js';
import type { SessionContext } from '../context.js';
import { type PreparedPlan, planFor } from '../plan/plan-request.js';
import { checkRemovedApis, kubernetesHop } from '../plan/removed-api-check.js';
import { carryOut, type RunReport } from './carry-out.js';

export interface ApplyOptions {
  /** Asked right before anything is written; without it the plan itself is the agreement. */
  readonly confirm?: (plan: Plan) => boolean | Promise<boolean>;
  /** Told as it happens, before the next event; for those who read the events later there is the run itself. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Before Kubernetes is upgraded: objects of API versions that the new version does not serve. */
  readonly onRemovedApi?: (finding: RemovedApiFinding) => void;
  /** For the journal, and for messages: the command that goes on with what is left. */
  readonly command?: string;
}

/** `declined`: `confirm` said no, and nothing was written. */
export type ApplyResult = RunReport | { readonly outcome: 'declined' };

export async function applyPlan(
  context: SessionContext,
  site: Site,
  prepared: PreparedPlan,
  {
    confirm,
    onRemovedApi,
    command = 'oxherd apply',
    emit,
  }: ApplyOptions & { emit: (event: RunEvent) => void },
): Promise<{ readonly result: ApplyResult; readonly site: Site }> {
  const { plan } = prepared;
  const forbidden = plan.problems.find((problem) => problem.scope === 'plan');
  if (forbidden) throw new OxherdError('apply.problems', forbidden.message, { advice: forbidden.advice });
  const hop = kubernetesHop(plan, prepared.observed, site);
  if (hop) await checkRemovedApis(context, site, hop, onRemovedApi ?? (() => {}));
  if (confirm && !(await confirm(plan))) return { result: { outcome: 'declined' }, site };
  const ready = prepared.request.kind === 'converge' ? await site.withSecrets() : site;
  const final = ready === site ? prepared : await planAgain(ready, prepared);
  return { result: await carryOut(context, ready, final, { command, emit }), site: ready };
}

/** With the new secrets, and otherwise what was shown. */
async function planAgain(site: Site, { plan: shown, request }: PreparedPlan): Promise<PreparedPlan> {
  const again = await planFor(site, request);
  const ids = (plan: Plan) =>
    plan.steps.filter((step) => step.kind !== 'create-secrets').map((step) => step.id);
  if (ids(again.plan).join(' ') !== ids(shown).join(' '))
    throw stalePlan('the cluster changed while the secrets were created');
  // They are made by now; the step stays, so that as many run as were announced.
  const made = shown.steps.filter((step) => step.kind === 'create-secrets');
  return { ...again, plan: { ...again.plan, steps: [...made, ...again.plan.steps] } };
}

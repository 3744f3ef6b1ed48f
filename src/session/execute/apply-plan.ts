/** Carries out a plan that was shown: checked against the cluster, agreed to, and with secrets to send. */
import type { RunBehind } from '../../apply/run.js';
import { OxherdError } from '../../model/error.js';
import type { RunEvent } from '../../model/events.js';
import type { RemovedApiFinding } from '../../plan/kubernetes/removed-apis.js';
import type { Plan } from '../../plan/plan.js';
import { designWithSecrets, planWithSecrets } from '../../plan/plan-with-secrets.js';
import type { Step } from '../../plan/steps.js';
import { secretsFingerprint } from '../../secrets/talos-secrets.js';
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
  /** Whether a node may be taken away now; where not, the rest waits for the next run. */
  readonly mayDisrupt?: (step: Step) => boolean;
  /** Steps that were done before, and what they learned: a rehearsal goes on in the middle of a plan. */
  readonly behind?: RunBehind;
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
    mayDisrupt,
    behind,
  }: ApplyOptions & { emit: (event: RunEvent) => void },
): Promise<{ readonly result: ApplyResult; readonly site: Site }> {
  const { plan } = prepared;
  const forbidden = plan.problems.find((problem) => problem.scope === 'plan');
  if (forbidden) throw new OxherdError('apply.problems', forbidden.message, { advice: forbidden.advice });
  const hop = kubernetesHop(plan, prepared.observed, site);
  if (hop) await checkRemovedApis(context, site, hop, onRemovedApi ?? (() => {}));
  if (confirm && !(await confirm(plan))) return { result: { outcome: 'declined' }, site };
  const ready = prepared.request.kind === 'converge' ? await site.withSecrets() : site;
  const { secrets } = ready.machines;
  const final = ready !== site && secrets ? withSecrets(prepared, secretsFingerprint(secrets)) : prepared;
  return {
    result: await carryOut(context, ready, final, {
      command,
      emit,
      // With the secrets that the plan was made with, or without any.
      planAgain: async () => (await planFor(site, prepared.request)).plan,
      ...(mayDisrupt && { mayDisrupt }),
      ...(behind && { behind }),
    }),
    site: ready,
  };
}

function withSecrets(prepared: PreparedPlan, fingerprint: string): PreparedPlan {
  return {
    ...prepared,
    plan: planWithSecrets(prepared.plan, fingerprint),
    design: designWithSecrets(prepared.design, fingerprint),
  };
}

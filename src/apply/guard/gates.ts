/** The gates of `policy.gates`: asked before a node is drained and after it is back, never between, because a drain closes them. */
import type { KubernetesClient } from '../../clients/kubernetes/client.js';
import type { GateConfig } from '../../config/policy-config.js';
import { expressionProblem, gateConditions } from '../../health/gates.js';
import { observeGates } from '../../observe/observe-gates.js';
import { unservedGate } from '../../observe/observed-gates.js';
import type { ObservedKubernetes } from '../../observe/observed-kubernetes.js';
import type { StepContext } from '../support/context.js';
import { until } from '../support/machine-wait.js';
import { StepError } from '../support/read-vm.js';

/** Conditions of the user's own, such as storage that is in sync; each may take as long as its `timeout`. */
export async function awaitGates(
  gates: readonly GateConfig[],
  /** What stops here: `refusing to disrupt work-1`, `work-1 is back`. */
  situation: string,
  context: StepContext,
  kubernetes: KubernetesClient,
): Promise<void> {
  for (const gate of gates) {
    const problem = expressionProblem(gate);
    if (problem !== undefined) {
      throw new StepError('guard.gate-expression', `${situation}: ${problem}`, {
        advice: `correct policy.gates.${gate.name}.expression, then run apply again`,
      });
    }
    await until(
      context,
      {
        timeoutMs: gate.timeoutSeconds * 1_000,
        timeout: (last) =>
          new StepError(
            'guard.gate',
            `${situation}: gate ${gate.name} did not open in ${gate.timeoutSeconds} s: ${last}`,
            {
              advice: `no further node was disrupted; fix that, or change policy.gates, then run apply again`,
            },
          ),
      },
      async (waiting) => {
        const gates = await observeGates(kubernetes, [gate]);
        requireServed(gate, gates[gate.name], situation);
        const [condition] = gateConditions([gate], { gates });
        if (!condition || condition.state === 'ok' || condition.state === 'skipped') return true;
        waiting(`gate ${gate.name} is ${condition.message}`);
        return undefined;
      },
    );
  }
}

/** Waiting changes nothing: a person has named a resource that does not exist. */
function requireServed(
  gate: GateConfig,
  seen: ObservedKubernetes['gates'][string] | undefined,
  situation: string,
): void {
  const unserved = unservedGate(gate, seen);
  if (!unserved) return;
  throw new StepError('guard.gate-missing', `${situation}: gate ${gate.name} is ${unserved.message}`, {
    advice: `no further node was disrupted; ${unserved.advice}, then run apply again`,
  });
}

/** Whether a node may go now, as far as the others are concerned: not too many away already, every gate open. */
import type { KubernetesClient } from '../clients/kubernetes/client.js';
import { NODES } from '../clients/kubernetes/resources.js';
import type { GateConfig } from '../config/policy-config.js';
import { expressionProblem, gateConditions } from '../health/gates.js';
import { attempt } from '../observe/attempt.js';
import { observeGates } from '../observe/observe-gates.js';
import { isNodeReady } from '../observe/readiness.js';
import type { StepContext } from './support/context.js';
import { until } from './support/machine-wait.js';
import { pickNodeObject } from './support/node-object.js';
import { StepError } from './support/read-vm.js';

/** Long enough for a node that was away before this run to boot and join. */
const OTHERS_TIMEOUT_MS = 10 * 60_000;

interface GoingNode {
  readonly node?: string;
  /** The other nodes of oxherd.yaml. */
  readonly others: readonly string[];
  /** How many nodes may be away, this one included. */
  readonly maxAway: number;
}

export async function awaitDisruptionBudget(
  { node, others, maxAway }: GoingNode,
  context: StepContext,
  kubernetes: KubernetesClient,
): Promise<void> {
  await until(
    context,
    {
      timeoutMs: OTHERS_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('guard.away', `refusing to disrupt ${node}: ${last}`, {
          advice: `fix it first, or remove it from oxherd.yaml; see \`oxherd status\``,
        }),
    },
    async (waiting) => {
      const nodes = await attempt(() => kubernetes.list(NODES));
      if (!nodes.known) {
        waiting(nodes.why);
        return undefined;
      }
      const away = others.filter((other) => {
        const object = pickNodeObject(other, nodes.value);
        return object !== undefined && !isNodeReady(object);
      });
      if (away.length < maxAway) return true;
      waiting(
        `${away.join(', ')} ${away.length === 1 ? 'is' : 'are'} not Ready, and ${maxAway === 1 ? 'one node' : `${maxAway} nodes`} may be unavailable at a time`,
      );
      return undefined;
    },
  );
}

/** The user's own conditions, such as storage that is in sync; each may take as long as it says. */
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
        const [condition] = gateConditions([gate], { gates: await observeGates(kubernetes, [gate]) });
        if (!condition || condition.state === 'ok' || condition.state === 'skipped') return true;
        waiting(`gate ${gate.name} is ${condition.message}`);
        return undefined;
      },
    );
  }
}

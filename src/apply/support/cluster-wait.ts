/** Work with the Kubernetes API, which comes and goes while control planes start. */
import { isKubernetesError } from '../../clients/kubernetes/errors.js';
import type { OxherdError } from '../../model/error.js';
import type { ClusterAccess, StepContext } from './context.js';
import { until } from './machine-wait.js';
import { StepError } from './read-vm.js';

export function needCluster({ kubernetes }: StepContext): ClusterAccess {
  if (!kubernetes) {
    throw new StepError('apply.no-cluster', 'this run has no access to the Kubernetes API', {
      advice: 'the secrets of this cluster are needed; restore secrets.sops.yaml',
    });
  }
  return kubernetes;
}

/** How long an API server may be away while its control plane restarts. */
const API_AWAY_MS = 5 * 60_000;

/** Does it as soon as an API server answers. */
export async function whenApiAnswers<T>(
  context: StepContext,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  const answer = await awaitCluster(
    context,
    {
      timeoutMs: API_AWAY_MS,
      timeout: (last) =>
        new StepError('apply.api-away', `${what}: the Kubernetes API does not answer: ${last}`, {
          advice: 'see `oxherd status`; then run apply again',
        }),
    },
    async () => ({ value: await work() }),
  );
  return answer.value;
}

/** Asks until there is an answer; an API that is not there is waited for. */
export function awaitCluster<T>(
  context: StepContext,
  what: {
    readonly timeoutMs: number;
    readonly timeout: (last: string) => OxherdError | Promise<OxherdError>;
  },
  ask: (waiting: (why: string) => void) => Promise<T | undefined>,
): Promise<T> {
  return until(context, what, async (waiting) => {
    try {
      return await ask(waiting);
    } catch (error) {
      if (!isKubernetesError(error, 'kubernetes.unreachable', 'kubernetes.busy', 'kubernetes.failed'))
        throw error;
      waiting(error.message);
      return undefined;
    }
  });
}

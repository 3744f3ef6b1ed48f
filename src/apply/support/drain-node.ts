/** Draining a node before it is disrupted, and letting work return to it afterwards. */
import { attempt } from '../../observe/attempt.js';
import { isNodeReady } from '../../observe/readiness.js';
import type { StepOf } from '../../plan/steps.js';
import { cordon, cordonAndDrain, uncordon } from '../drain.js';
import type { StepContext } from './context.js';
import { until } from './machine-wait.js';
import { objectName, readNodeObject } from './node-object.js';
import { StepError } from './read-vm.js';

const BACK_TIMEOUT_MS = 20 * 60_000;

type Drained = Pick<StepOf<'begin-disruption'>, 'node' | 'goesAs' | 'drain' | 'stays'>;

/** Returns what people should know: a node that is not Ready cannot be drained. */
export async function drainNode(step: Drained, context: StepContext): Promise<string[]> {
  const kubernetes = context.kubernetes?.client;
  if (!step.drain || !kubernetes) return [];
  const around = { kubernetes, clock: context.clock, progress: context.progress, signal: context.signal };
  const node = await readNodeObject(kubernetes, step.goesAs ?? step.node ?? '');
  const name = objectName(step.goesAs ?? step.node ?? '', node);
  if (!isNodeReady(node)) {
    // Without a kubelet no pod is ever evicted.
    await cordon(around, name, { stays: step.stays === true });
    return [`${name} was not drained: it is not Ready`];
  }
  const { drain } = step;
  const drained = await oneDrainAtATime(context, () =>
    cordonAndDrain(around, name, drain, { stays: step.stays === true }),
  );
  return drained === 'lost' ? [`${name} was not drained completely: it is no longer Ready`] : [];
}

/** The last drain of each run. */
const drains = new WeakMap<StepContext['memory'], Promise<unknown>>();

/** Two nodes that are drained together leave no place for the pods of either, and wait for each other. */
async function oneDrainAtATime<T>(context: StepContext, drain: () => Promise<T>): Promise<T> {
  const last = drains.get(context.memory) ?? Promise.resolve();
  const own = last.then(drain, drain);
  drains.set(
    context.memory,
    own.catch(() => {}),
  );
  return own;
}

/** Once the node is Ready, and only if it was we who cordoned it. */
export async function uncordonWhenReady(name: string, context: StepContext): Promise<void> {
  const kubernetes = context.kubernetes?.client;
  if (!kubernetes) return;
  const object = await until(
    context,
    {
      timeoutMs: BACK_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.not-back', `${name} is back, but not Ready in Kubernetes: ${last}`, {
          advice: 'the nodes after it were left alone; see `oxherd status`, then run apply again',
        }),
    },
    async (waiting) => {
      const node = await attempt(() => readNodeObject(kubernetes, name));
      if (node.known && isNodeReady(node.value)) return objectName(name, node.value);
      waiting(node.known ? 'the node is not Ready' : node.why);
      return undefined;
    },
  );
  await uncordon({ kubernetes, clock: context.clock, progress: context.progress }, object);
}

import type { Node, Taint } from 'kubernetes-types/core/v1.js';
import { NODES } from '../../../clients/kubernetes/resources.js';
import { formatNodeMarks, NODE_MARKS, parseNodeMarks, taintId } from '../../../formats/marks/node-marks.js';
import type { StepOf } from '../../../plan/steps.js';
import { awaitCluster, needCluster } from '../../support/cluster-wait.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { objectName, readNodeObject } from '../../support/node-object.js';
import { StepError } from '../../support/read-vm.js';

const TIMEOUT_MS = 5 * 60_000;

/** Ours are set, those that we set before go; what others put on the node stays. */
export const markNode: Executor<'mark-node'> = async (step, context) => {
  const { client } = needCluster(context);
  const name = step.node ?? '';
  return awaitCluster(
    context,
    {
      timeoutMs: TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.node-marks', `labels and taints of ${name} were not set: ${last}`, {
          advice: 'see `oxherd status`, then run apply again',
        }),
    },
    async (waiting) => {
      const node = await readNodeObject(client, name);
      if (!node) {
        waiting(`${name} is not in the cluster yet`);
        return undefined;
      }
      const patch = patchFor(step, node);
      if (patch === undefined) return ALREADY;
      await client.patch(NODES, objectName(name, node), patch, { kind: 'merge' });
      return DONE;
    },
  );
};

/** `undefined`: it carries them. The version makes a list that someone changed meanwhile a conflict. */
function patchFor(step: StepOf<'mark-node'>, { metadata, spec }: Node): object | undefined {
  const before = parseNodeMarks(metadata?.annotations?.[NODE_MARKS]);
  const note = formatNodeMarks(step);
  const gone = before.labels.filter((key) => !(key in step.labels));
  const labels = {
    ...Object.fromEntries(gone.map((key) => [key, null])),
    ...step.labels,
  };
  const ours = new Set([...before.taints, ...step.taints.map(taintId)]);
  const taints: Taint[] = [
    ...(spec?.taints ?? []).filter((taint) => !ours.has(taintId({ key: taint.key, effect: taint.effect }))),
    ...step.taints.map(({ key, value, effect }) => ({ key, effect, ...(value !== undefined && { value }) })),
  ];
  const same =
    metadata?.annotations?.[NODE_MARKS] === note &&
    gone.length === 0 &&
    Object.entries(step.labels).every(([key, value]) => metadata?.labels?.[key] === value) &&
    textOf(taints) === textOf(spec?.taints ?? []);
  if (same) return undefined;
  return {
    metadata: {
      labels,
      annotations: { [NODE_MARKS]: note },
      ...(metadata?.resourceVersion !== undefined && { resourceVersion: metadata.resourceVersion }),
    },
    spec: { taints },
  };
}

function textOf(taints: readonly Taint[]): string {
  return taints
    .map(({ key, value = '', effect }) => `${key}=${value}:${effect}`)
    .sort()
    .join(' ');
}

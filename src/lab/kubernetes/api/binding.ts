import { at, listOf, objOf, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { timeText } from '../object.js';
import { ApiError, conflict } from '../status.js';
import type { KubeApi, Target } from './kube-api.js';

const BINDING = { group: '', plural: 'pods/binding' } as const;

/** Gives a pod its node (`pkg/registry/core/pod/storage/storage.go`). */
export function bindPod(api: KubeApi, target: Target, body: unknown, dryRun: boolean): void {
  const node = textOf(at(body, 'target', 'name'));
  const kind = textOf(at(body, 'target', 'kind'));
  const faults = [
    ...(kind === '' || kind === 'Node'
      ? []
      : [`target.kind: Unsupported value: "${kind}": supported values: "Node", "<empty>"`]),
    ...(node === '' ? ['target.name: Required value'] : []),
  ];
  const [only = ''] = faults;
  // An aggregate of errors that is no Status: a 500 without a reason.
  if (faults.length > 0) {
    throw new ApiError(500, undefined, faults.length === 1 ? only : `[${faults.join(', ')}]`);
  }
  const pod = api.get(target);
  const { name, deletionTimestamp } = pod.metadata;
  const bound = textOf(at(pod, 'spec', 'nodeName'));
  if (deletionTimestamp !== undefined) {
    throw conflict(BINDING, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (bound !== '') throw conflict(BINDING, name, `pod ${name} is already assigned to node "${bound}"`);
  if (!dryRun) api.objects.put('pods', boundPod(pod, node, objOf(at(body, 'metadata')), timeText(api.now)));
}

function boundPod(pod: KubeObject, node: string, given: object, time: string): KubeObject {
  const { annotations, labels } = objOf(given);
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: time,
  };
  const others = listOf(at(pod, 'status', 'conditions')).filter(
    (condition) => objOf(condition).type !== scheduled.type,
  );
  const more = (field: 'annotations' | 'labels', added: unknown) =>
    added === undefined ? {} : { [field]: { ...pod.metadata[field], ...objOf(added) } };
  return {
    ...pod,
    metadata: { ...pod.metadata, ...more('annotations', annotations), ...more('labels', labels) },
    spec: { ...objOf(pod.spec), nodeName: node },
    status: { ...objOf(pod.status), conditions: [...others, scheduled] },
  };
}

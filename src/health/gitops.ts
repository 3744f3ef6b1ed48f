/** Whether Flux or Argo CD runs as oxherd.yaml says, and has applied its first repository. */
import type { KubernetesDesign } from '../design/kubernetes/kubernetes-design.js';
import { refText } from '../design/kubernetes/managed-object.js';
import { syncStateOf } from '../formats/kubernetes/sync-state.js';
import { findObject, type ObservedKubernetes } from '../observe/observed-kubernetes.js';
import { type Condition, conditionsOf } from './condition.js';

const { condition, unread } = conditionsOf('kubernetes');

export function gitopsConditions(design: KubernetesDesign, observed: ObservedKubernetes): Condition[] {
  const { gitops, objects } = design;
  if (!gitops) return [];
  if (!observed.gitops.known) return [unread('gitops', observed.gitops.why)];
  const has = observed.gitops.value;
  const same = has?.hash === gitops.hash;
  const text = has ? `${has.engine} ${has.version}` : 'not installed';
  const engine = condition(
    'gitops',
    undefined,
    same,
    same
      ? `${gitops.title} ${gitops.version}`
      : `${gitops.title}: ${text}, oxherd.yaml says ${gitops.version}`,
    'run `oxherd plan`',
  );
  const sources = objects
    .filter(({ origin, secret }) => origin === 'kubernetes.gitops' && !secret)
    .flatMap(({ ref }): Condition[] => {
      const seen = findObject(observed, ref);
      // The condition `objects-current` names a source that is missing or unread.
      if (seen.state !== 'present' || !seen.value.live) return [];
      const sync = syncStateOf(ref.kind, seen.value.live);
      if (!sync) return [];
      const kind = ref.kind.toLowerCase();
      const advice = `kubectl -n ${gitops.namespace} describe ${kind} ${ref.name}`;
      return [condition('gitops-source', refText(ref), sync.state === 'ready', sync.message, advice)];
    });
  return [engine, ...sources];
}

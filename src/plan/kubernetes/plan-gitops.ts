/** Flux or Argo CD: installed once there are nodes for its pods, then its first repository, which is waited for. */
import { GITOPS_ENGINES } from '../../design/kubernetes/gitops.js';
import { refKey } from '../../design/kubernetes/managed-object.js';
import type { Planned } from '../planned.js';
import {
  type AppliedObjects,
  type KubernetesDraft,
  type KubernetesPlan,
  part,
  readPart,
} from './kubernetes-part.js';

/** Its step, if there is one. */
export function planGitops(given: KubernetesPlan, ready: string | undefined): Planned<string | undefined> {
  return part(given, (plan) => install(plan, ready));
}

function install(plan: KubernetesDraft, ready: string | undefined): string | undefined {
  const { context, design, there, api } = plan;
  const { gitops } = design;
  noteLeft(plan);
  if (!gitops) return undefined;
  const seen = there?.gitops;
  // Its note is that of the engines.
  if (seen && !seen.known) return undefined;
  const has = seen?.value;
  if (has?.hash === gitops.hash) return undefined;
  const isNew = has?.engine !== gitops.engine;
  const reason =
    !isNew && has.version !== gitops.version
      ? `${has.version} → ${gitops.version}`
      : 'its manifest has changed';
  return context.list.add(gitops.engine, {
    kind: 'install-gitops',
    ...(isNew && { action: 'create' as const }),
    title: `${isNew ? 'install' : 'upgrade'} ${gitops.title} ${gitops.version}`,
    reasons: [isNew ? 'kubernetes.gitops; missing' : reason],
    impact: isNew ? 'none' : 'live',
    needs: [api, ready],
    engine: gitops.engine,
    version: gitops.version,
    hash: gitops.hash,
  });
}

/** What it has applied would go with it, so that is for a person to do. */
function noteLeft({ context, design, there }: KubernetesDraft): void {
  const gitops = there && readPart(context, 'Flux and Argo CD', there.gitops);
  if (!gitops) return;
  const { engine } = gitops;
  if (engine === design.gitops?.engine || (engine !== 'flux' && engine !== 'argocd')) return;
  const { title, namespace } = GITOPS_ENGINES[engine];
  context.notes.push({
    code: 'left-alone',
    message: `${title} is no longer in oxherd.yaml and is left in the cluster with all that it applied; remove it with its own tools, then \`kubectl delete namespace ${namespace}\` and \`kubectl -n kube-system delete configmap oxherd-gitops\``,
  });
}

export function planGitopsSource(
  given: KubernetesPlan,
  installed: string | undefined,
  applied: AppliedObjects,
): Planned {
  return part(given, ({ context, design, there }) => {
    const { gitops } = design;
    if (!gitops) return;
    const steps = design.objects.flatMap(({ ref, origin }) =>
      origin === 'kubernetes.gitops' ? (applied.get(refKey(ref)) ?? []) : [],
    );
    if (steps.length === 0 && installed === undefined) return;
    context.list.add(gitops.engine, {
      kind: 'await-gitops',
      title: `wait until ${gitops.title} has applied ${gitops.namespace}/oxherd`,
      reasons: [there ? 'it was changed' : 'new cluster'],
      impact: 'none',
      needs: [installed, ...steps],
    });
  });
}

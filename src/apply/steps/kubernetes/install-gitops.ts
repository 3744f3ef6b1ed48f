/** Flux or Argo CD, from the install manifest of its release. */
import {
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  type KubernetesObject,
} from '../../../clients/kubernetes/resources.js';
import { GITOPS_NOTE, type GitopsDesign, gitopsNote } from '../../../design/kubernetes/gitops.js';
import { APPLIED, type KubeObject, MANAGED_BY } from '../../../design/kubernetes/managed-object.js';
import { objectsInFile } from '../../../design/kubernetes/user-manifests.js';
import { sha256Hex } from '../../../formats/text/hash.js';
import { awaitCluster, needCluster, whenApiAnswers } from '../../support/cluster-wait.js';
import { ALREADY, type ClusterAccess, DONE, type Executor, type StepContext } from '../../support/context.js';
import { awaitRollout } from '../../support/kubernetes/await-rollout.js';
import { put } from '../../support/put-object.js';
import { StepError } from '../../support/read-vm.js';

const DEFINITION_TIMEOUT_MS = 2 * 60_000;
/** Images are pulled from the internet. */
const ROLLOUT_TIMEOUT_MS = 20 * 60_000;

export const installGitops: Executor<'install-gitops'> = async (step, context) => {
  const cluster = needCluster(context);
  const { gitops } = cluster.design;
  if (!gitops || gitops.hash !== step.hash) {
    throw new StepError('apply.object-changed', `${step.title} is not what was planned`, {
      advice: 'oxherd.yaml changed since the plan was created; run plan again',
    });
  }
  const note = await whenApiAnswers(context, gitops.title, () =>
    cluster.client.get(CONFIG_MAPS, GITOPS_NOTE, 'kube-system'),
  );
  if (note?.metadata?.annotations?.[APPLIED] === gitops.hash) return ALREADY;
  const objects = await manifestOf(cluster, gitops);
  const applied: KubeObject[] = [namespaceOf(gitops)];
  await whenApiAnswers(context, gitops.title, () => put(cluster, namespaceOf(gitops)));
  for (const object of inOrder(objects)) {
    if (object.kind !== 'CustomResourceDefinition') await awaitDefinitions(context, cluster, applied);
    context.progress(`${object.kind} ${object.metadata.name}`);
    applied.push(await whenApiAnswers(context, gitops.title, () => applyOne(cluster, gitops, object)));
  }
  await awaitRollout(context, cluster.client, applied, {
    of: gitops.title,
    advice: `see \`kubectl -n ${gitops.namespace} get pods\`; then run apply again`,
    timeoutMs: ROLLOUT_TIMEOUT_MS,
  });
  await whenApiAnswers(context, gitops.title, () => put(cluster, gitopsNote(gitops)));
  return DONE;
};

async function manifestOf(cluster: ClusterAccess, gitops: GitopsDesign): Promise<KubeObject[]> {
  const { manifest, sha256, title } = gitops;
  if ('text' in manifest) return objectsInFile(manifest);
  const text = await cluster.download(manifest.url);
  const hash = sha256Hex(text);
  if (sha256 !== undefined && hash !== sha256) {
    throw new StepError(
      'apply.manifest-hash',
      `the manifest of ${title} is not the one that oxherd.yaml pins`,
      {
        where: manifest.url,
        advice: `it hashes to ${hash}; if that is the release you want, write it as sha256`,
      },
    );
  }
  return objectsInFile({ path: manifest.url, text });
}

/** That of Flux has a namespace of its own; what it says of it is kept. */
function namespaceOf({ namespace }: GitopsDesign): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: MANAGED_BY } };
}

/** Namespaces, then definitions of kinds, then what pods mount, then the rest. */
function inOrder(objects: readonly KubeObject[]): KubeObject[] {
  const first = ['Namespace', 'CustomResourceDefinition', 'ServiceAccount', 'ConfigMap', 'Secret'];
  const rank = ({ kind }: KubeObject) => (first.includes(kind) ? first.indexOf(kind) : first.length);
  return [...objects].sort((a, b) => rank(a) - rank(b));
}

/** Manifests for `kubectl -n` leave the namespace out. */
async function applyOne(
  { client }: ClusterAccess,
  { namespace, kept }: GitopsDesign,
  object: KubeObject,
): Promise<KubeObject> {
  const resource = await client.resourceOf(object.apiVersion, object.kind);
  const labels = { ...object.metadata.labels, ...(object.kind === 'Namespace' && MANAGED_BY) };
  const metadata = {
    ...object.metadata,
    ...(resource.namespaced && { namespace: object.metadata.namespace ?? namespace }),
    ...(Object.keys(labels).length > 0 && { labels }),
  };
  const placed = { ...object, metadata };
  const isOurs = kept.includes(`${object.kind} ${metadata.name}`);
  const there = isOurs ? await client.get(resource, metadata.name, metadata.namespace) : undefined;
  if (!there) await client.apply(placed, { force: true });
  return placed;
}

/** Objects of a new kind are refused until it is served. */
async function awaitDefinitions(
  context: StepContext,
  { client }: ClusterAccess,
  applied: readonly KubernetesObject[],
): Promise<void> {
  if (applied.at(-1)?.kind !== 'CustomResourceDefinition') return;
  const names = applied
    .filter(({ kind }) => kind === 'CustomResourceDefinition')
    .map((each) => each.metadata.name);
  await awaitCluster(
    context,
    {
      timeoutMs: DEFINITION_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.definition', `a kind is not served: ${last}`, {
          advice: 'see `kubectl get crd`; then run apply again',
        }),
    },
    async (waiting) => {
      for (const name of names) {
        const definition = await client.get(CUSTOM_RESOURCE_DEFINITIONS, name);
        const isServed = definition?.status?.conditions?.some(
          ({ type, status }) => type === 'Established' && status === 'True',
        );
        if (isServed) continue;
        waiting(name);
        return undefined;
      }
      return true;
    },
  );
}

import { isKubernetesError } from '../../../clients/kubernetes/errors.js';
import {
  APPLIED,
  type ManagedObject,
  type ObjectRef,
  refKey,
  refText,
} from '../../../design/kubernetes/managed-object.js';
import { missingIn } from '../../../plan/kubernetes/object-difference.js';
import { awaitCluster, needCluster, whenApiAnswers } from '../../support/cluster-wait.js';
import { ALREADY, type ClusterAccess, DONE, type Executor } from '../../support/context.js';
import { put } from '../../support/put-object.js';
import { StepError } from '../../support/read-vm.js';

const KIND_TIMEOUT_MS = 2 * 60_000;

export const applyObject: Executor<'apply-object'> = async (step, context) => {
  const cluster = needCluster(context);
  const wanted = objectOf(cluster, step.object);
  if (wanted.hash !== step.hash) {
    throw new StepError('apply.object-changed', `${refText(step.object)} is not what was planned`, {
      advice: 'oxherd.yaml changed since the plan was created; run plan again',
    });
  }
  const { ref, object } = wanted;
  const there = await whenApiAnswers(context, refText(ref), () => readIfKnown(cluster, ref));
  if (there && hashOf(there) === wanted.hash && missingIn(object, there).length === 0) return ALREADY;
  await awaitCluster(
    context,
    {
      timeoutMs: KIND_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.object', `${refText(ref)} could not be applied: ${last}`, {
          advice: 'its namespace and the definition of its kind must be there; then run apply again',
        }),
    },
    async (waiting) => {
      try {
        await put(cluster, object);
        return true;
      } catch (error) {
        // A definition that was just created is served a moment later.
        if (!isKubernetesError(error, 'kubernetes.not-found')) throw error;
        waiting(error.message);
        return undefined;
      }
    },
  );
  return DONE;
};

function objectOf({ design }: ClusterAccess, ref: ObjectRef): ManagedObject {
  const found = design.objects.find((object) => refKey(object.ref) === refKey(ref));
  if (found) return found;
  throw new StepError('apply.no-object', `oxherd.yaml no longer has ${refText(ref)}`, {
    advice: 'run plan again',
  });
}

/** A kind that the server does not have yet has no objects. */
async function readIfKnown(cluster: ClusterAccess, ref: ObjectRef) {
  try {
    return await readObject(cluster, ref);
  } catch (error) {
    if (isKubernetesError(error, 'kubernetes.not-found')) return undefined;
    throw error;
  }
}

async function readObject(
  { client }: ClusterAccess,
  ref: ObjectRef,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const resource = await client.resourceOf(ref.apiVersion, ref.kind);
  const namespace = resource.namespaced ? (ref.namespace ?? 'default') : undefined;
  const there = await client.get(resource, ref.name, namespace);
  return typeof there === 'object' && there !== null ? { ...there } : undefined;
}

function hashOf(object: Readonly<Record<string, unknown>>): unknown {
  const metadata: unknown = object.metadata;
  const annotations =
    typeof metadata === 'object' && metadata !== null && 'annotations' in metadata
      ? metadata.annotations
      : undefined;
  return typeof annotations === 'object' && annotations !== null
    ? Object.entries(annotations).find(([key]) => key === APPLIED)?.[1]
    : undefined;
}

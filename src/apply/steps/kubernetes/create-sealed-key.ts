import { SECRETS } from '../../../clients/kubernetes/resources.js';
import { managed } from '../../../design/kubernetes/managed-object.js';
import {
  SEALED_NAMESPACE,
  SEALED_SECRET,
  sealedKeySecret,
} from '../../../design/kubernetes/sealed-secrets.js';
import { needCluster, whenApiAnswers } from '../../support/cluster-wait.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { put } from '../../support/put-object.js';

/** Once: a pair that is there is never replaced, what was sealed with it could not be opened any more. */
export const createSealedKey: Executor<'create-sealed-key'> = async (_, context) => {
  const cluster = needCluster(context);
  const there = await whenApiAnswers(context, 'the sealed-secrets key', () =>
    cluster.client.get(SECRETS, SEALED_SECRET, SEALED_NAMESPACE),
  );
  if (there) return ALREADY;
  const { object } = managed(sealedKeySecret(await cluster.newSealedKey()), 'kubernetes.sealedSecrets');
  await whenApiAnswers(context, 'the sealed-secrets key', () => put(cluster, object));
  return DONE;
};

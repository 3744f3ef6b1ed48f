import { PERSISTENT_VOLUME_CLAIMS } from '../../../clients/kubernetes/resources.js';
import { parseQuantity, quantity } from '../../../design/kubernetes/quantity.js';
import { needCluster, whenApiAnswers } from '../../support/cluster-wait.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';

export const growClaim: Executor<'grow-claim'> = async ({ namespace, name, size }, context) => {
  const { client } = needCluster(context);
  return whenApiAnswers(context, `claim ${namespace}/${name}`, async () => {
    const claim = await client.get(PERSISTENT_VOLUME_CLAIMS, name, namespace);
    const asks = parseQuantity(claim?.spec?.resources?.requests?.storage ?? '') ?? 0;
    if (!claim || asks >= size) return ALREADY;
    const patch = { spec: { resources: { requests: { storage: quantity(size) } } } };
    await client.patch(PERSISTENT_VOLUME_CLAIMS, name, patch, { kind: 'merge', namespace });
    return DONE;
  });
};

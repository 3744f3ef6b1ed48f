import { needCluster, whenApiAnswers } from '../../support/cluster-wait.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';

export const deleteObject: Executor<'delete-object'> = async ({ object }, context) => {
  const { client } = needCluster(context);
  const { apiVersion, kind, name, namespace } = object;
  const deleted = await whenApiAnswers(context, `${kind} ${name}`, async () => {
    const resource = await client.resourceOf(apiVersion, kind);
    return client.delete(resource, name, { ...(namespace !== undefined && { namespace }) });
  });
  return deleted ? DONE : ALREADY;
};

import { readLimited } from '../read-limited.js';
import { parsed } from './body.js';
import type { Sender } from './connection.js';
import { errorFromAnswer } from './errors.js';
import { ifThere, type JsonRequest } from './json-request.js';
import type { KubernetesClient } from './types.js';

/** What only pods can be asked for. */
export function podCalls(connection: Sender, json: JsonRequest): Pick<KubernetesClient, 'evict' | 'logs'> {
  return {
    async evict(name, namespace, evictOptions = {}) {
      const { gracePeriodSeconds } = evictOptions;
      const body = JSON.stringify({
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name, namespace },
        ...(gracePeriodSeconds === undefined ? {} : { deleteOptions: { gracePeriodSeconds } }),
      });
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/eviction`;
      const what = `evicting pod ${namespace}/${name}`;
      return (await ifThere(json({ method: 'POST', path, body, repeatable: true }, what))) !== undefined;
    },
    async logs(pod, namespace, logOptions = {}) {
      const query = new URLSearchParams({
        ...(logOptions.container ? { container: logOptions.container } : {}),
        ...(logOptions.tailLines === undefined ? {} : { tailLines: String(logOptions.tailLines) }),
      });
      const place = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`;
      const answer = await connection.send({
        method: 'GET',
        path: `${place}?${query}`,
        accept: '*/*',
        repeatable: true,
      });
      const text = await readLimited(answer.body);
      if (answer.status < 300) return text;
      throw errorFromAnswer(
        answer.status,
        parsed(text) ?? text,
        answer.where,
        `reading the log of ${namespace}/${pod}`,
      );
    },
  };
}

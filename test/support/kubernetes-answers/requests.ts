/** How the requests are written whose answers were recorded from a real API server. */

export interface Exchange {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  readonly as?: string;
}

export const NS = '/api/v1/namespaces/default';
export const meta = (name: string, more: object = {}) => ({ name, ...more });
export const post = (path: string, body: unknown): Exchange => ({ method: 'POST', path, body });
export const put = (path: string, body: unknown): Exchange => ({ method: 'PUT', path, body });
export const get = (path: string): Exchange => ({ method: 'GET', path });
/** As `kubectl get` asks. */
export const table = (path: string): Exchange => ({
  method: 'GET',
  path,
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
});
export const remove = (path: string, body?: unknown): Exchange => ({
  method: 'DELETE',
  path,
  ...(body === undefined ? {} : { body }),
});
export const merge = (path: string, body: unknown): Exchange => ({
  method: 'PATCH',
  path,
  body,
  type: 'application/merge-patch+json',
});
const patch =
  (type: string) =>
  (path: string, body: unknown): Exchange => ({
    method: 'PATCH',
    path,
    body,
    type: `application/${type}`,
  });
export const strategic = patch('strategic-merge-patch+json');
export const operations = patch('json-patch+json');
export const apply = patch('apply-patch+yaml');
export const core = (kind: string, name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind,
  metadata: meta(name),
  ...more,
});
export const configMap = (name: string, data: unknown, more: object = {}) =>
  core('ConfigMap', name, { data, ...more });
export const secret = (name: string, more: object) => core('Secret', name, more);
export const pod = (
  name: string,
  spec: object,
  containers: readonly object[] = [{ name: 'c', image: 'x' }],
) => core('Pod', name, { spec: { containers, ...spec } });
export const container = (more: object) => [{ name: 'c', image: 'x', ...more }];

/** Calls by the API's own names: which parameters there are and of what kind is checked against its schema. */

import type { Answer, ApiSession } from './api-session.js';
import type { Method, Params, ParamValue } from './encode.js';
import { encodeSegment, isMethod } from './encode.js';
import type { ApiMethod, ApiParameters } from './gen/api.js';

/** Enumerations are Proxmox's to check: a newer one may know more. */
type Widened<T> = T extends string ? string : T;

export type ApiParams<M extends ApiMethod> = {
  readonly [K in keyof ApiParameters[M]]: Widened<ApiParameters[M][K]> | undefined;
};

export type ApiCall = <M extends ApiMethod>(method: M, params: ApiParams<M>) => Promise<Answer>;

export function apiCall(session: ApiSession): ApiCall {
  return (method, params) => {
    const { verb, path, rest } = fill(method, params);
    return session.request(verb, path, rest);
  };
}

/** Path variables are parameters like the others; what is left goes into the query or the body. */
export function fill(method: string, params: object): { verb: Method; path: string; rest: Params } {
  const [verb = '', template = ''] = method.split(' ');
  if (!isMethod(verb)) throw new RangeError(`not a method of the API: ${method}`);
  const rest: Record<string, ParamValue> = { ...params };
  const path = template.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = rest[name];
    if (value === undefined || value === '') throw new RangeError(`${method} needs ${name}`);
    delete rest[name];
    return encodeSegment(String(value));
  });
  return { verb, path, rest };
}

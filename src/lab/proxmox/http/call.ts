import { rightsOf } from '../access/rights-of.js';
import type { Call, Principal, Pve } from '../api.js';
import type { Parameters } from '../validation/parameters.js';

/** A call as its handler sees it; `total` is what the handler set, if it did. */
export function createCall(
  pve: Pve,
  who: Principal,
  host: string,
  parameters: Parameters,
): { call: Call; total: () => number | undefined } {
  const { values, lists } = parameters;
  let total: number | undefined;
  const call: Call = {
    pve,
    who,
    host,
    params: values,
    text(name) {
      const value = values[name];
      return value === undefined ? undefined : String(value);
    },
    number(name) {
      const value = values[name];
      return value === undefined || value === '' ? undefined : Number(value);
    },
    flag: (name) => Number(values[name] ?? 0) === 1,
    list: (name) => lists[name] ?? [],
    total(count) {
      total = count;
    },
    ...rightsOf(who),
  };
  return { call, total: () => total };
}

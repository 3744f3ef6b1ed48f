import { rightsOf } from '../access/rights-of.js';
import type { Call, Principal, Pve } from '../api.js';
import type { Parameters } from '../validation/parameters.js';

/** A call as its handler sees it; `beside` is what the handler set beside its data. */
export function createCall(
  pve: Pve,
  who: Principal,
  host: string,
  parameters: Parameters,
): { call: Call; beside: () => Readonly<Record<string, string | number>> } {
  const { values, lists, sent } = parameters;
  const beside: Record<string, string | number> = {};
  const call: Call = {
    pve,
    who,
    host,
    params: values,
    sent,
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
      beside.total = count;
    },
    beside(name, value) {
      beside[name] = value;
    },
    ...rightsOf(who),
  };
  return { call, beside: () => beside };
}

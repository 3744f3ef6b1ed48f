/** What the NICs of a VM take from its host. */
import { parseNet } from './property-string.js';

export interface NetUse {
  readonly bridge: string;
  /** 1: the bridge's own. */
  readonly mtu?: number;
}

export function netsOf(options: Readonly<Record<string, string | number>>): NetUse[] {
  return Object.entries(options)
    .filter(([key]) => /^net\d+$/.test(key))
    .flatMap(([, value]) => {
      const { bridge, mtu } = parseNet(String(value)).options;
      return bridge === undefined ? [] : [{ bridge, ...(mtu !== undefined && { mtu: Number(mtu) }) }];
    });
}

import { hashParts } from '../formats/text/hash.js';
import type { Random } from './lab.js';
import type { Store } from './store.js';

/** A counter hashed with a seed: the sequence goes on where it stood when the lab was last used. */
export function storedRandom(store: Store, seed: string): Random {
  const counters = store.table<number>('counters');
  const next = (): string => {
    const number = (counters.get('random') ?? 0) + 1;
    counters.put('random', number);
    return hashParts([seed, String(number)]);
  };
  const hex = (digits: number): string => {
    let text = '';
    while (text.length < digits) text += next();
    return text.slice(0, digits);
  };
  return {
    below: (limit) => Number(BigInt(`0x${next()}`) % BigInt(limit)),
    hex,
    uuid() {
      const h = hex(32);
      return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20)}`;
    },
  };
}

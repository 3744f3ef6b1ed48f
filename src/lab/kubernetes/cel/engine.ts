import type * as Engine from './index.js';

let loaded: typeof Engine | undefined;

/** Loads what evaluates expressions when the first request needs it: most clusters have none. */
export async function prepareRules(): Promise<void> {
  loaded ??= await import('./index.js');
}

/** `undefined` before a request has needed it: the lab's own writes are not checked then. */
export function rulesEngine(): typeof Engine | undefined {
  return loaded;
}

/** Small readings of a call that most handlers need. */
import { rightsOf } from '../access/rights-of.js';
import { type Call, type Principal, type Pve, PveError } from '../api.js';

/** Who acts: the caller of a request, or the user a task works for. */
export interface Caller extends Pick<Call, 'require' | 'allows'> {
  readonly pve: Pve;
  readonly who: Principal;
}

/** A task's user, with the rights held now. */
export function callerWithId(pve: Pve, id: string): Caller {
  const who = pve.access.principal(id);
  return {
    pve,
    who,
    ...rightsOf(who),
  };
}

export function nodeOf(call: Call): string {
  return call.text('node') ?? '';
}

export function vmidOf(call: Call): number {
  return call.number('vmid') ?? 0;
}

/** Options that only root@pam with a ticket may use, such as `skiplock`. */
export function rootOnly(call: Call, ...names: string[]): void {
  for (const name of names) {
    const value = call.params[name];
    if (value !== undefined && value !== 0 && value !== '' && !call.who.isRoot) {
      throw PveError.parameter({ [name]: 'Only root may use this option.' });
    }
  }
}
